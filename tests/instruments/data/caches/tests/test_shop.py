import shop


def test_sign_up():
    assert shop.sign_up("ann") >= 1


def test_sign_up_was_before():
    assert "ann" in shop.users()


def test_sign_up_again():
    before = len(shop.users())
    assert shop.sign_up("ann") == before
    assert shop.sign_up("bob") >= before


def test_table():
    assert shop.TABLE["milk"] == 20
    assert shop.CHEAPEST <= shop.TABLE["bread"]


def test_client_is_one():
    assert shop.Client() is shop.Client()
    assert shop.Client.opened == 1


def test_client_sends():
    before = len(shop.Client().sent)
    assert shop.Client().send("a") == before + 1


def test_client_has_sent():
    assert shop.Client().sent


def test_plugins():
    assert "Small" in shop.Plugin.known


def test_baskets_are_counted():
    first, second = shop.Basket(["tea"]), shop.Basket(["tea", "bread"])
    assert second.number == first.number + 1
    assert (first.label, second.label) == ("small", "large")


def test_total_is_kept():
    basket = shop.Basket(["tea", "milk"])
    assert basket.total == 30
    basket.names.clear()
    assert basket.total == 30


def test_price():
    assert shop.price("tea") == 11
    assert shop.price("salt") >= 0
    assert shop.price("tea") == 11
