"""A shop's server: creates charges, checks webhooks, delivers each paid order once. Start it with `python3 shop.py`."""
import base64, hashlib, hmac, json, os, re, time, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URL, SECRET_KEY = os.environ["CARDFORM_URL"], os.environ["CARDFORM_SECRET_KEY"]
WEBHOOK_SECRET = os.environ.get("CARDFORM_WEBHOOK_SECRET", "")

def create_charge():
    order = str(uuid.uuid4())
    item = {"item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD"}
    # The same key gets the same charge if an answer is lost and this is sent again.
    return post("", item | {"partner_reference": order}, {"Idempotency-Key": order})

def post(path, body=None, more={}):
    headers = {"Authorization": f"Bearer {SECRET_KEY}", "Content-Type": "application/json"} | more
    data = json.dumps(body).encode() if body else b""
    with urllib.request.urlopen(urllib.request.Request(f"{URL}/v1/charges{path}", data, headers), timeout=30) as answer:
        return answer.read()

def verified(headers, body):
    """The event; None if the event is not from Cardform, or its time is more than five minutes away."""
    event_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not WEBHOOK_SECRET or not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return None
    key = base64.b64decode(WEBHOOK_SECRET.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event_id}.{sent}.".encode() + body, hashlib.sha256)
    right = b"v1," + base64.b64encode(mac.digest())
    given = headers.get("webhook-signature", "").encode().split()
    return json.loads(body) if any(hmac.compare_digest(one, right) for one in given) else None

def deliver_once(charge):
    """An event can arrive twice. Only the first one creates the file. In a shop, use a unique row of the database."""
    os.makedirs("delivered", exist_ok=True)
    try:
        with open(f"delivered/{charge['id']}", "x") as file:
            file.write(charge["partner_reference"])
    except FileExistsError:
        pass

class Shop(BaseHTTPRequestHandler):
    def answer(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, open("shop.html", "rb").read(), "text/html") if self.path == "/" else self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/orders":
            return self.answer(201, create_charge())
        # In a shop, check first that this order belongs to the shopper who asks.
        if charge := re.fullmatch(r"/orders/(\w+)/client-secret", self.path):
            return self.answer(201, post(f"/{charge[1]}/client-secret"))
        event = verified(self.headers, body) if self.path == "/webhooks" else None
        if event and event["type"] == "charge.succeeded" and "test" not in event["data"]:
            deliver_once(event["data"])
        self.answer(204 if event else 400)

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Shop)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
