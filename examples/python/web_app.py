"""A web server in a sandbox without network, asked by this program and shown to a browser."""

from atoll import Sandbox

with Sandbox.create() as box:
    box.files.write("index.html", "<h1>Hello from a sandbox</h1>\n")
    server = box.start(command=["python3", "-m", "http.server", "8000"], timeout=0)

    port = box.port(8000)
    page = port.wait("/index.html")
    print(page.status_code, page.text.strip())

    preview = port.preview(ttl=60)
    print("a browser can open it" if preview.urls else "no preview")
    server.cancel()
