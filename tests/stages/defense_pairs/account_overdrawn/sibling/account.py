"""Another approach that is right: account overdrawn."""


class Account:
    def __init__(self):
        self._lists = {}

    def pay_in(self, owner, amount):
        self._lists.setdefault(owner, []).append(amount)

    def pay_out(self, owner, amount):
        if sum(self._lists.get(owner, ())) < amount:
            raise ValueError("not enough")
        self._lists.setdefault(owner, []).append(-amount)

    def balance(self, owner):
        return sum(self._lists.get(owner, ()))

    def moves(self, owner):
        return list(self._lists.get(owner, ()))
