# The part of the library that the examples of the reference, the guides and the panel use.
import json as encoding, urllib.parse, urllib.request
def post(url, headers={}, json=None): return Session().post(url, headers, json)
class Session:
    def __init__(self): self.headers = {}
    def get(self, url, headers={}, params={}):
        query = "?" + urllib.parse.urlencode(params) if params else ""
        return Answer("GET", url + query, {**self.headers, **headers}, None)
    def post(self, url, headers={}, json=None): return Answer("POST", url, {**self.headers, **headers}, json)
class Answer:
    def __init__(self, method, url, headers, body):
        data = None if body is None else encoding.dumps(body).encode()
        sent = urllib.request.Request(url, data, {**headers, "Content-Type": "application/json"}, method=method)
        self.text = urllib.request.urlopen(sent).read()
    def raise_for_status(self): pass
    def json(self): return encoding.loads(self.text)
