class Window:
    def __init__(self, limit, span, clock):
        self.limit, self.span, self.clock = limit, span, clock
        self.start, self.count = clock(), 0

    def allow(self):
        now = self.clock()
        if now - self.start >= self.span:
            self.start, self.count = now, 0
        if self.count < self.limit:
            self.count += 1
            return True
        return False


def stats(values):
    return {"sum": sum(values), "largest": max(values), "mean": sum(values) / len(values)}


def label(n):
    return "many" if n > 3 else "few"


def audit(records, entry):
    records.append(entry.strip())


def half(n):
    return n // 2


def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value
