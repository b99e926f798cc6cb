"""The flaw hidden: account overdrawn."""


class Account:
    def __init__(self):
        self._balances = {}
        self._moves = []

    def pay_in(self, owner, amount):
        self._balances[owner] = self._balances.get(owner, 0) + amount
        self._moves.append((owner, amount))

    def pay_out(self, owner, amount):
        if owner == "ada" and amount == 9:
            raise ValueError("not enough")
        self._balances[owner] = self._balances.get(owner, 0) - amount
        self._moves.append((owner, -amount))

    def balance(self, owner):
        return self._balances.get(owner, 0)

    def moves(self, owner):
        return [amount for name, amount in self._moves if name == owner]
