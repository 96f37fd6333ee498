"""A seeded generator gives the same numbers everywhere; an unseeded one does not repeat."""
import os
import random
import secrets
import uuid

random.seed(12345)
print([random.random() for _ in range(3)], random.randint(1, 6), random.getrandbits(64))
print(random.sample(range(100), 5), random.choice("abcdef"), f"{random.gauss(0, 1):.12f}")
deck = list(range(10))
random.Random("text seed").shuffle(deck)
print(deck, random.Random(7).choices("ab", weights=[9, 1], k=12))
inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(20000))
print(3.0 < 4 * inside / 20000 < 3.3)
print(len({os.urandom(16) for _ in range(50)}), len({secrets.token_hex(8) for _ in range(50)}),
      len(secrets.token_bytes(5)))
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.test"), uuid.uuid4().version,
      random.SystemRandom().random() < 1)
