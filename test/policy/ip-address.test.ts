/** Which addresses are public: both ends of every closed range, and their neighbours. */
import { describe, expect, test } from "vitest";
import { isAddress, isPublicAddress } from "../../src/policy/ip-address.ts";

/** First and last address of a range, then those just outside that are public. */
const ipv4: readonly (readonly [string, string, ...string[]])[] = [
  ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255"],
];

const ipv6: readonly (readonly [string, string, ...string[]])[] = [
  ["::", "::1"],
  ["::7f00:1", "::127.0.0.1"],
  ["::ffff:7f00:1", "::ffff:8.8.8.8", "::fffe:0:0"],
  ["::ffff:0:7f00:1", "::ffff:0:808:808", "::fffe:0:0:0"],
  ["64:ff9b::", "64:ff9b::808:808", "64:ff9b:2::"],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::"],
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2001:1::"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7::", "2001:db9::"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe::", "3fff:1000::"],
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "5eff::", "5f01::"],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fbff::", "fe00::"],
  ["fe80::1", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe7f::"],
  ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2606:4700::5efe:808:808", "2606:4700::200:5efe:808:808", "2606:4700::300:5efe:808:808", "2606:4700::5eff:808:808"],
];

describe("isPublicAddress", () => {
  test.each([...ipv4, ...ipv6])("[SE37] %s to %s is closed", (first, last, ...outside) => {
    expect([first, last].map((address) => [address, isPublicAddress(address)])).toEqual([
      [first, false],
      [last, false],
    ]);
    for (const address of outside) expect([address, isPublicAddress(address)]).toEqual([address, true]);
  });

  test.each(["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2001:4860:4860::8888", "2A00:1450::1", "1:2:3:4:5:6:7:8"])(
    "[SE37] %s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    "",
    "example.com",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "0x7f.0.0.1",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "::12345",
    "::g",
    "fe80::1%eth0",
    "[::1]",
    "::1.2.3.4:5",
    "::1.2.3",
  ])("[SE37] %j is no address, and so not a public one", (text) => {
    expect([isAddress(text), isPublicAddress(text)]).toEqual([false, false]);
  });
});
