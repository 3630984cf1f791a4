/** Ports whose services an HTTP request could confuse: those that browsers block, and newer data stores. */
export const refusedPorts: ReadonlySet<number> = new Set([
  // https://fetch.spec.whatwg.org/#port-blocking
  ...[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
  // SMB, rsync, SQL databases, MQTT, NATS, queues
  ...[445, 873, 1433, 1521, 1883, 3306, 3389, 4222, 5432, 5433, 5671, 5672, 6432, 8883, 9092],
  // Docker, ZooKeeper, etcd, Redis, Kubernetes, search engines, caches, MongoDB
  ...[2181, 2375, 2376, 2379, 2380, 6379, 6380, 6443, 9200, 9300, 10250, 10255, 11211, 26379, 27017, 27018],
]);
