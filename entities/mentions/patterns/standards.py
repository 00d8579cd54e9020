"""Standards, by the body that numbers them: GB/T 22239-2019, ISO/IEC 27001:2022, RFC 9110, and protocols with their version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from entities.mentions.span import Span

_YEAR = r"(?:\s?[-–—:：]\s?(?:19|20)\d\d)"
_CHINESE = (
    rf"(?:(?<!\d )GB(?:/[TZ])?|GB[JZ]|GM/[TZ]|(?:YD|JR|SJ|DL|NB|QB|HJ|HG|JB|JT|JTG|JGJ|CJ|CJJ|SL|TB|MH|LY|NY|SN|GA|DA|CY|GY|WS|"
    rf"YY|YB|AQ|RB|XF|SB|HB|QC|MT|SY|SH|TD|TY|WH|WM|XB|ZY|DB\d{{2,4}})(?:/[TZ])?)\s?\d{{1,6}}(?:\.\d{{1,3}})*{_YEAR}?"
)
_PRIVATE = rf"[TQ]/[A-Z0-9]{{2,12}}\s?\d{{1,6}}(?:[.-]\d{{1,3}})*{_YEAR}"
_ISO = (
    rf"(?:(?:BS|DIN|NF|UNE|SS|AS|NZS|KS|JIS|ANSI|CSA)[ /])?(?:EN[ /])?(?:ISO|IEC)(?:/(?:IEC|IEEE|ASTM|SAE))*(?:/(?:TS|TR|PAS|"
    rf"IWA|FDIS|DIS|CD))?"
    rf"(?:\s(?:TS|TR|PAS|Guide))?[\s-]?\d{{2,6}}(?:-\d{{1,4}})*{_YEAR}?(?:/(?:Amd|Cor|AMD|COR)\.?\s?\d{{1,2}}{_YEAR}?)*"
)
_EUROPEAN = (
    rf"(?:(?:BS|DIN|NF|UNE|SS|ETSI|ÖNORM)\s)?(?:EN|ETS|TS)\s\d{{3}}(?:\s\d{{3}})?\d{{0,3}}(?:-\d{{1,3}})*{_YEAR}?|"
    rf"(?:BS|DIN|JIS)\s(?:[A-Z]\s?)?\d{{2,6}}(?:-\d{{1,3}})*{_YEAR}?"
)
_AMERICAN = (
    r"(?:ANSI(?:/[A-Z]+){0,2}[-\s]?[A-Z]?\d[\w.-]*|(?:ANSI/)?TIA(?:/EIA)?-\d{2,4}(?:-[A-Z]|\.\d)*|"
    r"ASTM\s[A-G]\d{1,5}(?:/[A-G]\d{1,5}M?)?(?:-\d{2}[a-e]?)?"
    r"|FIPS(?:\sPUB)?\s\d{2,3}(?:-\d)?|NIST\sSP\s\d{3,4}-\d{1,4}[A-Z]?(?:r\d)?|MIL-(?:STD|PRF|HDBK)-\d{3,5}[A-Z]?|"
    r"UL\s\d{2,5}[A-Z]?(?:-\d{1,3})*"
    r"|SAE\s[A-Z]{1,3}\s?\d{3,5}|NFPA\s\d{1,4}|ASME\s[A-Z]\d[\w.]*|API\s(?:STD|SPEC|RP)\s\d\w*)"
)
_INTERNET = r"(?:RFC[\s-]?\d{1,5}|BCP\s?\d{1,3}|STD\s\d{1,3}|PEP\s\d{1,4}|JSR[\s-]\d{1,3}|ECMA-\d{2,4}|FIDO2)"
_TELECOMS = (
    r"(?:ITU-[TR]\s(?:Rec\.\s)?[A-Z]{1,2}\.\d{1,4}(?:\.\d{1,3})*|3GPP\sT[SR]\s\d{2}\.\d{3}|"
    r"IEEE\s(?:Std\s)?(?:C\d+\.)?P?\d{1,5}(?:\.\d{1,3})*[a-z]{0,2}(?:-\d{1,4})*)"
)
_UN = r"(?:UN\s(?:38\.3|ECE\sR\d{1,3}|R\d{1,3}))"
_PROTOCOLS = (
    r"(?:(?:D?TLS|SSL|OAuth|OpenID Connect|SAML|WCAG|PCI[\s-]DSS|CVSS|SPDX|CycloneDX|OpenAPI|USB|HDMI|Bluetooth|PCIe|MQTT|"
    r"AMQP|SOAP|XML|"
    r"HTML|CSS|YAML|Unicode|ECMAScript|SNMP|NTP|NFS|SMB|OPC UA|FHIR)\s?v?\d{1,2}(?:\.\d{1,2}){0,2}|HTTP/[1-3](?:\.\d)?)"
)
_RULES = tuple(
    (name, re.compile(rf"(?<![0-9A-Za-z/_-])(?:{pattern})(?![0-9A-Za-z_]|\.\d|-\d)", re.ASCII | flags))
    for name, pattern, flags in (
        ("chinese", _CHINESE, 0), ("private", _PRIVATE, 0), ("iso", _ISO, 0), ("european", _EUROPEAN, 0),
        ("american", _AMERICAN, 0), ("internet", _INTERNET, 0), ("internet", r"rfc\s?\d{3,5}", 0), ("telecoms", _TELECOMS, 0),
        ("un", _UN, 0), ("protocol", _PROTOCOLS, 0),
    )
)


def standards(text: str) -> Iterator[Span]:
    """Yield numbers of standards, with part and year where they are written."""
    for name, pattern in _RULES:
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), "standard", f"pattern:standard-{name}", 0.95)
