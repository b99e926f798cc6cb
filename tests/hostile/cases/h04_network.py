"""HOLDS: the harness's loopback listener receives no byte; no route to outside exists (UDP connect, which sends no
packet, fails); DNS fails fast.
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import socket
def attempt(n, f):
    try: f(); print("DID", n)
    except OSError as e: print("no", n, e)
def tcp():
    s = socket.create_connection(("127.0.0.1", @PORT@), 2); s.sendall(b"exfil @TOKEN@"); s.close()
def route():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("192.0.2.1", 9)); print("DID route", s.getsockname()[0])
def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"exfil", ("127.0.0.1", @PORT@))
attempt("tcp", tcp); attempt("route", route)
try: udp(); print("sent a datagram (only the listener tells whether it arrived)")
except OSError as e: print("no udp", e)
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM).connect((2, 1)))
"""
}
