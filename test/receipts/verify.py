"""Verification written a second time, in plain Python: HKDF, HMAC, canonical JSON, receipt tokens, both chains.

usage: verify.py vectors FILE          one line of JSON: a verdict for each vector, in order
       verify.py export FILE KEYS      one line of JSON: {"faults": [...], "signed": n}
"""
import base64
import hashlib
import hmac
import json
import re
import sys

FIELDS = ["v", "kid", "tenant", "conversation", "turn", "call", "seq", "tool", "tool_def", "args", "result",
          "result_chars", "shown", "at", "prev"]
TOKEN = re.compile(r"zc-receipt-(0|[1-9][0-9]{0,15})-([A-Za-z0-9_-]{43})")


def canonical(value):
    """RFC 8785 for what is signed here: text, whole numbers, true, false, null, lists, objects."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, float):
        raise ValueError("nothing that is signed has a fraction")
    return json.dumps(value, ensure_ascii=False)


def digest(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def prefixed(text):
    encoded = text.encode("utf-8")
    return len(encoded).to_bytes(4, "big") + encoded


def scope_key(master, tenant, scope, salt):
    info = prefixed("receipt/v1") + prefixed(tenant) + prefixed(scope) + salt
    extracted = hmac.new(b"countersign", master, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verdict(token, body, key):
    match = TOKEN.fullmatch(token)
    if match is None:
        return "malformed"
    tag = from_base64url(match.group(2))
    if base64.urlsafe_b64encode(tag).decode().rstrip("=") != match.group(2):
        return "malformed"
    if key is None:
        return "unverifiable"
    signed = b"countersign/receipt/v1\0" + canonical({name: body[name] for name in FIELDS}).encode("utf-8")
    good = hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), tag) and body["at"] == int(match.group(1))
    return "valid" if good else "mismatch"


def check_vectors(document):
    verdicts = []
    for made in document["scopes"]:
        scope = made["scope"]
        master = from_base64url(document["masters"][made["kid"]])
        key = scope_key(master, scope["tenant"], scope["scopeId"], bytes.fromhex(scope["salt"]))
        if key.hex() != made["scopeKey"]:
            verdicts.append("another key")
        prev = "genesis"
        for vector in made["receipts"]:
            body = vector["body"]
            same = canonical(body) == vector["canonical"] and body["prev"] == prev
            verdicts.append(verdict(vector["token"], body, key) if same else "another text")
            prev = digest(vector["token"])
    return verdicts


def check_chain(document):
    prev = digest(canonical({"v": "countersign/audit/v1", "tenant": document["tenant"],
                             "conversation": document["conversation"]}))
    for place, entry in enumerate(document["entries"], 1):
        row = {name: entry[name] for name in ["seq", "at", "kind", "subject", "data", "prev"]}
        if entry["seq"] != place or entry["prev"] != prev or digest(canonical(row)) != entry["hash"]:
            return ["entry %d" % place]
        prev = entry["hash"]
    return [] if document["head"] == {"seq": len(document["entries"]), "hash": prev} else ["head"]


def check_export(document, masters):
    faults = check_chain(document)
    salts = {scope["scope"]: from_base64url(scope["salt"]) for scope in document["scopes"]}
    signed = 0
    for stored in document["receipts"]:
        body, scope = stored["body"], stored["scope"]
        own = body["tenant"] == document["tenant"] and body["conversation"] == document["conversation"]
        known = body["kid"] in masters and scope in salts
        key = scope_key(from_base64url(masters[body["kid"]]), document["tenant"], scope, salts[scope]) if known else None
        found = verdict(stored["receipt"], body, key) if own else "mismatch"
        if found == "valid":
            signed += 1
        elif found != "unverifiable":
            faults.append("receipt %d" % body["seq"])
    return {"faults": faults, "signed": signed}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    if sys.argv[1] == "vectors":
        print(json.dumps(check_vectors(read(sys.argv[2]))))
    else:
        print(json.dumps(check_export(read(sys.argv[2]), read(sys.argv[3]))))
