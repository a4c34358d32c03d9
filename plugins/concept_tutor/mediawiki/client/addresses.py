"""Checks the addresses of a wiki: public ones, unless the settings allow a private one.

A name is looked up once, its addresses are checked, and exactly these are connected to: a second answer of the name
server (DNS rebinding) is never asked for.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence

from ragstone.core.runtime import Deadline, in_background

from .errors import WikiForbidden, WikiUnavailable

#: Host and port to addresses, as text. Raises ``OSError``.
Lookup = Callable[[str, int], Sequence[str]]
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: The metadata services of clouds that are not link-local.
_METADATA = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def look_up(host: str, port: int) -> list[str]:
    """The system's answer."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_loopback(host: str) -> bool:
    """Whether the name itself means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return _parsed(host).is_loopback
    except ValueError:
        return False


def addresses_of(
    host: str, lookup: Callable[[], Sequence[str]], deadline: Deadline, *, private: bool
) -> tuple[str, ...]:
    """The addresses that may be connected to for ``host``.

    ``lookup``: asks the name server. ``private``: it may lie in a private network. Raises ``WikiForbidden`` if any
    address is none to be sent to, and ``WikiUnavailable`` if there is none or the name server takes longer than the
    deadline.
    """
    found = _in_time(lookup, deadline)
    if not found:
        raise WikiUnavailable("has no address")
    local = is_loopback(host)
    for text in found:
        try:
            address = _parsed(text)
        except ValueError as error:
            raise WikiForbidden("has an address that is none") from error
        if not (address.is_loopback if local else _is_allowed(address, private=private)):
            raise WikiForbidden(
                f"has the address {text}, which is not one of the public network",
                hint=f"if this wiki is your own, put {host} into private_hosts of [plugins.concept_tutor.wikis]",
            )
    return tuple(found)


def _is_allowed(address: _Address, *, private: bool) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.sixtofour or (address.teredo and address.teredo[1])
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner:
            return _is_allowed(inner, private=False)
        if address.is_site_local:
            return False
    if address.is_link_local or address.is_multicast or address.is_unspecified or address in _METADATA:
        return False
    if address.is_global:
        return True
    return private and (address.is_loopback or (address.is_private and not address.is_reserved))


def _parsed(text: str) -> _Address:
    address = ipaddress.ip_address(text.partition("%")[0].strip("[]"))
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _in_time(lookup: Callable[[], Sequence[str]], deadline: Deadline) -> Sequence[str]:
    """The lookup in a thread of its own: the system's cannot be cut."""
    answer = in_background(lookup, "wiki-lookup")
    try:
        error = answer.exception(deadline.left)
    except TimeoutError as late:
        raise WikiUnavailable(f"the name server did not answer within {deadline.seconds:g} s") from late
    if isinstance(error, OSError | UnicodeError):
        raise WikiUnavailable(f"its name cannot be looked up: {error}") from error
    return answer.result()
