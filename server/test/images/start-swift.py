"""OpenStack Swift with its S3 interface, in one process and in a temporary folder: a stricter S3 for tests.

Usage: start-swift.py FOLDER ACCESS_KEY SECRET_KEY. Prints the port once it answers; ends when its input closes.
"""

import array
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.account import server as account_server  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402
from swift.container import server as container_server  # noqa: E402
from swift.obj import mem_server  # noqa: E402

folder, access_key, secret_key = sys.argv[1:]
user, name = access_key.split(":")

# Usually read from /etc/swift/swift.conf, which need not exist here.
utils.HASH_PATH_SUFFIX = b"tests"
utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")
reload_storage_policies()

PROXY = f"""
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{user}_{name} = {secret_key} .admin
"""


class Quiet:
    def write(self, *_):
        pass

    def flush(self):
        pass


class Cache(dict):
    """Replaces memcached, which sign-in requires."""

    def __bool__(self):
        return True

    def get(self, key, **_):
        return super().get(key)

    def set(self, key, value, **_):
        self[key] = value

    def delete(self, key, **_):
        self.pop(key, None)


def with_cache(app):
    cache = Cache()

    def answer(env, start_response):
        env["swift.cache"] = cache
        return app(env, start_response)

    return answer


def serve(app, socket):
    eventlet.spawn(wsgi.server, socket, app, Quiet(), keepalive=True)


def main():
    conf = {"devices": folder, "swift_dir": folder, "mount_check": "false", "fallocate_reserve": "0"}
    os.mkdir(os.path.join(folder, "disk"))
    parts = {
        "account": account_server.AccountController,
        "container": container_server.ContainerController,
        "object": mem_server.ObjectController,
    }
    for kind, controller in parts.items():
        socket = eventlet.listen(("127.0.0.1", 0))
        port = socket.getsockname()[1]
        device = dict(id=0, region=1, zone=1, weight=1.0, ip="127.0.0.1", port=port, device="disk", meta="",
                      replication_ip="127.0.0.1", replication_port=port)
        RingData([array.array("H", [0])], [device], 32).save(os.path.join(folder, f"{kind}.ring.gz"))
        serve(controller(conf), socket)
    path = os.path.join(folder, "proxy-server.conf")
    with open(path, "w") as file:
        file.write(PROXY)
    socket = eventlet.listen(("127.0.0.1", 0))
    serve(with_cache(loadapp(path)), socket)
    print(socket.getsockname()[1], flush=True)
    eventlet.tpool.execute(sys.stdin.read)


main()
