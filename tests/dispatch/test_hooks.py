"""Hooks on function objects: which calls are intercepted, what stays unchanged, and how hooks are undone."""

import functools
import inspect
import pickle
import sys
import threading
import types

import numpy as np
import pytest

import gpunp
from gpunp.dispatch import hooks


def make(free="free"):
    """Make a function with defaults, keyword-only parameters and a closure."""

    def function(a, b=1, *rest, c=2, **others):
        """Doc."""
        return "base", a, b, rest, c, others, free

    return function


def handler(*args, **kwargs):
    return "handler", args, kwargs


@pytest.fixture
def function():
    made = make()
    yield made
    hooks.unhook(made)


def test_device_arrays_go_to_the_handler(function):
    imported_before = function
    hooks.hook(function, handler)
    x = gpunp.zeros(2)
    assert imported_before(x) == ("handler", (x,), {})
    assert function(1, x) == ("handler", (1, x), {})
    assert function(1, c=x, d=3) == ("handler", (1,), {"c": x, "d": 3})
    assert function(*[1, 2, 3, x]) == ("handler", (1, 2, 3, x), {})
    assert functools.partial(function, b=x)(1) == ("handler", (1,), {"b": x})
    assert list(map(function, [x])) == [("handler", (x,), {})]


def test_other_calls_stay(function):
    hooks.hook(function, handler)
    assert function(1) == ("base", 1, 1, (), 2, {}, "free")
    assert function(1, 2, 3, c=4, d=5) == ("base", 1, 2, (3,), 4, {"d": 5}, "free")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        function()
    # A call in a loop, which the interpreter specializes.
    assert [function(i)[1] for i in range(1000)] == list(range(1000))
    assert function(np.zeros(2))[0] == "base"


def test_a_call_that_is_specialised_before_is_caught(function):
    def caller(value):
        return function(value, 2)

    for _ in range(1000):
        assert caller(1)[0] == "base"
    hooks.hook(function, handler)
    x = gpunp.zeros(1)
    for _ in range(1000):
        assert caller(1)[0] == "base"
        assert caller(x)[0] == "handler"
    hooks.unhook(function)
    for _ in range(1000):
        assert caller(x)[0] == "base"


def test_constructors_that_are_specialised_before_are_caught():
    class Base:
        def __init__(self):
            self.handled = False

    class Class(Base):
        def __init__(self, value):
            super().__init__()
            self.value = value

    def caller(value):
        return Class(value)

    def constructor(self, value):
        self.handled, self.value = True, value

    for _ in range(1000):
        assert not caller(1).handled
    signature = inspect.signature(Class)
    hooks.hook(Class.__init__, constructor)
    x = gpunp.zeros(1)
    for _ in range(1000):
        assert caller(1).value == 1
        assert not caller(1).handled
        assert caller(x).handled
    assert inspect.signature(Class) == signature
    hooks.unhook(Class.__init__)
    for _ in range(1000):
        assert not caller(x).handled


@pytest.mark.parametrize("depth", [0, 1, 2, hooks.ANYWHERE])
def test_containers_are_looked_into(function, depth):
    hooks.hook(function, handler, depth)
    x = gpunp.zeros(1)
    assert function(x)[0] == "handler"
    for number, value in enumerate([[0, x], (0, [x]), [[0], {"k": (x,)}]], start=1):
        called = "handler" if number <= depth else "base"
        assert function(value)[0] == called
        assert function(1, c=value)[0] == called
    assert function([[[[]]], {}, {"a": 1}])[0] == "base"
    # Only tuples, lists and dictionaries are searched for arrays.
    assert function(types.SimpleNamespace(x=x))[0] == "base"


def test_a_hook_on_every_call(function):
    hooks.hook(function, handler, hooks.ALWAYS)
    assert function(1) == ("handler", (1,), {})
    assert function(a=[2]) == ("handler", (), {"a": [2]})
    assert hooks.original(function)(1)[0] == "base"
    hooks.unhook(function)
    assert function(1)[0] == "base"


def test_methods(function):
    class Class:
        method = make()
        fixed = staticmethod(make())

    hooks.hook(Class.__dict__["method"], handler)
    instance, x = Class(), gpunp.zeros(1)
    bound = instance.method
    assert bound(x) == instance.method(x) == ("handler", (instance, x), {})
    assert bound(3)[:3] == ("base", instance, 3)
    hooks.hook(hooks.find(__name__, "CLASS.fixed"), handler)
    assert CLASS.fixed(x)[0] == "handler"
    hooks.unhook(hooks.find(__name__, "CLASS.fixed"))


class CLASS:
    fixed = staticmethod(make())


def test_the_function_looks_as_before(function):
    signature, identity = inspect.signature(function), id(function)
    hooks.hook(function, handler)
    assert inspect.signature(function) == signature
    assert function.__name__ == "function"
    assert function.__doc__ == "Doc."
    assert id(function) == identity
    hooks.unhook(function)
    assert inspect.signature(function) == signature
    assert not hasattr(function, "__wrapped__")
    hooks.hook(module_function, handler)
    assert pickle.loads(pickle.dumps(module_function)) is module_function
    hooks.unhook(module_function)


def module_function(a):
    return a


def test_original_and_unhook(function):
    x = gpunp.zeros(1)
    hook = hooks.hook(function, handler)
    assert hooks.is_hooked(function)
    assert hook.original(x, c=3) == ("base", x, 1, (), 3, {}, "free")
    assert hooks.original(function)(x)[0] == "base"
    hooks.unhook(function)
    assert not hooks.is_hooked(function)
    assert function(x)[0] == "base"
    assert hooks.original(function)(x)[0] == "base"
    hooks.unhook(function)
    hooks.hook(function, lambda *args: "second")
    assert function(x) == "second"


def test_original_of_a_function_of_cython():
    method = vars(np.random.RandomState)["uniform"]
    hook = hooks.hook(method, handler)
    try:
        rng = np.random.RandomState(1)
        assert rng.uniform(gpunp.zeros(1))[0] == "handler"
        assert rng.uniform() == np.random.RandomState(1).uniform()
        assert (
            hook.original(np.random.RandomState(1), low=2.0, high=3.0)
            == 2 + np.random.RandomState(1).uniform()
        )
        with pytest.raises(TypeError):
            hook.original(rng, nonsense=1)
    finally:
        hooks.unhook(method)
    with pytest.raises(TypeError, match="Implicit conversion"):
        rng.uniform(gpunp.zeros(1))


def test_handlers_are_imported_at_the_first_call(function, tmp_path, monkeypatch):
    (tmp_path / "handlers_of_hooks.py").write_text("def answer(*args):\n    return 42\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    hooks.hook(function, "handlers_of_hooks:answer")
    assert function(1)[0] == "base"
    assert "handlers_of_hooks" not in sys.modules
    assert function(gpunp.zeros(1)) == 42
    hooks.hook(function, "handlers_of_hooks:missing")
    with pytest.raises(AttributeError, match="missing"):
        function(gpunp.zeros(1))
    hooks.hook(function, "no_such_module_of_hooks:missing")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_hooks"):
        function(gpunp.zeros(1))
    with pytest.raises(TypeError, match="the handler of a hook is"):
        hooks.hook(function, 3)


def test_errors_of_a_handler_are_the_calls(function):
    def fail(*args):
        raise LookupError("of the handler")

    hooks.hook(function, fail)
    with pytest.raises(LookupError, match="of the handler"):
        function(gpunp.zeros(1))


@pytest.mark.parametrize("value", [len, np.ndarray.sum, int, "a".join, 3])
def test_what_cannot_be_hooked(value):
    with pytest.raises(TypeError, match=r"cannot hook .*: only functions written in Python or by Cython"):
        hooks.hook(value, handler)


def test_many_hooks():
    functions = [make(i) for i in range(300)]
    x = gpunp.zeros(1)
    for number, each in enumerate(functions):
        hooks.hook(each, functools.partial(handler, number))
    for number, each in enumerate(functions):
        assert each(x) == ("handler", (number, x), {})
        assert each(1)[-1] == number
    for each in functions:
        hooks.unhook(each)
        assert each(x)[0] == "base"


def test_threads(function):
    x, wrong, stop = gpunp.zeros(1), [], threading.Event()

    def work():
        while not stop.is_set():
            if function(1)[0] != "base" or function(x)[0] not in ("base", "handler"):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        hooks.hook(function, handler)
        hooks.unhook(function)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_install_by_path():
    module = types.ModuleType("module_of_hooks")
    module.plain, module.Class = make(), type("Class", (), {"method": make()})
    sys.modules["module_of_hooks"] = module
    x = gpunp.zeros(1)
    paths = {"plain": handler, "Class.method": handler, "gone": handler, "Class.gone": handler}
    made = hooks.install("module_of_hooks", paths)
    assert set(made) == {"plain", "Class.method"}
    assert module.plain(x)[0] == module.Class().method(x)[0] == "handler"
    hooks.remove("module_of_hooks", paths)
    assert module.plain(x)[0] == module.Class().method(x)[0] == "base"
    del sys.modules["module_of_hooks"]
