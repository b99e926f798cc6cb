"""A true mend: account overdrawn."""


class Account:
    def __init__(self):
        self._balances = {}
        self._moves = []

    def pay_in(self, owner, amount):
        self._move(owner, amount)

    def pay_out(self, owner, amount):
        if amount > self.balance(owner):
            raise ValueError("not enough")
        self._move(owner, -amount)

    def _move(self, owner, amount):
        self._balances[owner] = self.balance(owner) + amount
        self._moves.append((owner, amount))

    def balance(self, owner):
        return dict(self._balances).get(owner, 0)

    def moves(self, owner):
        found = []
        for name, amount in self._moves:
            if name == owner:
                found.append(amount)
        return found
