"""HOLDS: a listener on a socket file or an abstract name of the host cannot be reached."""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import socket
for address in ("@ROOT@/outside/agent.sock", "\\0area-@PORT@"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            line = socket.socket(socket.AF_UNIX, kind)
            line.connect(address)
            print("DID", repr(address))
        except OSError as error:
            print("no", error)
    try:
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        left.sendto(b"x", address)
        print("DID by a pair", repr(address))
    except OSError as error:
        print("no", error)
"""
}
