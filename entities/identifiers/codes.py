"""Codes that are known by their form and their surroundings: API paths, error codes, product codes, versions.

Nothing proves them, so each wants a form that plain prose has not, or a word beside it that says what it is. What merely looks
alike (dates, section numbers, addresses of hosts, fractions, ranges, files) is told apart here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Matches = Iterator[tuple[int, int, str]]

# --- API paths ---

_SEGMENT = r"(?:[0-9A-Za-z_~%-]|\.(?=[0-9A-Za-z]))+|\{[0-9A-Za-z_.-]+\}|:[A-Za-z_]\w*|<[A-Za-z_][\w:]*>"
_PATH = re.compile(rf"(?<![0-9A-Za-z_./\\<~$*-])/(?:{_SEGMENT})(?:/(?:{_SEGMENT}))*/?(?![\w\\])", re.ASCII)
_BEHIND_HOST = re.compile(rf"(?<=[0-9a-z])(?::\d{{2,5}})?(/(?:{_SEGMENT})(?:/(?:{_SEGMENT}))*/?)", re.ASCII)
_HOST = re.compile(r"https?://[^\s/:，。；）]+(?::\d{2,5})?", re.IGNORECASE)
_METHOD = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+[`\"']?$")
_PATH_CUE = re.compile(
    r"(?:接口|端点|路径|路由|地址|调用|请求|访问|指标在|endpoints?|routes?|paths?|calls?|requests?|API|URL|URI)"
    r"[^，。；\n/]{0,12}$", re.IGNORECASE,
)
_API_WORDS = re.compile(r"/(?:api|rest|graphql|rpc|oauth2?|openapi|webhooks?|v\d+(?:\.\d+)?(?:(?:alpha|beta)\d*)?)(?:/|$)|\{|"
    r"/:[a-z]|/<", re.IGNORECASE)
_PROBE = re.compile(r"/(?:healthz?|livez|readyz|metrics|status|ping|version|login|logout|token|actuator)\b")
_OF_DISK = re.compile(r"/(?:home|etc|usr|var|opt|tmp|dev|bin|sbin|lib|mnt|media|srv|root|proc|sys|run|data|Users|Library|"
    r"Applications)(?:/|$)")
_FILE = re.compile(r"\.(?:md|txt|html?|css|js|png|jpe?g|gif|svg|pdf|docx?|xlsx?|pptx?|zip|gz|tar|log|conf|ini|ya?ml|toml|py|"
    r"sh|exe|dll|so)$", re.IGNORECASE)


def paths(text: str) -> Matches:
    """Yield paths of interfaces: they hold a parameter, `api`, `v1` ..., are called with a method, or are called an interface.

    Behind a host only those that hold a parameter, `api` or a version count: others are pages."""
    for host in _HOST.finditer(text):
        match = _BEHIND_HOST.match(text, host.end())
        if match is not None and _API_WORDS.search(match[1]) and not _FILE.search(match[1]):
            yield match.start(1), match.end(1), match[1]
    for match in _PATH.finditer(text):
        path = match[0]
        if _OF_DISK.match(path) or _FILE.search(path):
            continue
        before = text[max(0, match.start() - 24) : match.start()]
        if _API_WORDS.search(path) or _PROBE.match(path) or _METHOD.search(before) or _PATH_CUE.search(before):
            yield match.start(), match.end(), path


# --- error codes ---

_ERROR = re.compile(
    r"(?<![0-9A-Za-z_-])(?:"
    r"(?:[A-Z][A-Z0-9]{0,9}_)?ERR(?:OR)?[_-][A-Z0-9]+(?:[_-][A-Z0-9]+)*"  # ERR_1042, ERR_CONNECTION_RESET
    r"|(?:ORA|TNS|PLS|RMAN|SQL|DB2|CS|TS|MSB|NU|AADSTS|KB|WSA|SQLCODE)-?\d{3,6}[A-Z]?(?![0-9A-Za-z])"
    r"|SQLSTATE[ =:\[]{1,2}[0-9A-Z]{5}"
    r"|0x[0-9A-Fa-f]{8}"
    r"|E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|HOSTUNREACH|NETUNREACH|ADDRINUSE|NOTFOUND|NOENT|ACCES|EXIST|PIPE|PERM|AGAIN"
    r"|MFILE|NOSPC|INVAL|NOTDIR|ISDIR|NOTEMPTY|BUSY|NOMEM)"
    r")(?![0-9A-Za-z_])"
)
_SAID_ERROR = re.compile(
    r"(?:错误代?码|错误|故障代?码|报错|异常码|告警码?|返回码|[Ee]rrors?(?: code)?|[Aa]lert|[Ff]ault(?: code)?|[Ss]top code|"
    r"exit code|状态码)"
    r"(?:\s*(?:为|是|[:：#=]))?[\s“\"'`(（]*"
    r"([A-Z]{1,5}[-_]?\d{2,6}[A-Z]?|\d{2,3}\.[0-9A-F]{2,4}|[a-z]+(?:_[a-z]+)+)(?![0-9A-Za-z_]|\.\d)"
)
_OAUTH = re.compile(r"(?<![\w-])(?:(?:invalid|unsupported|unauthorized|access|insufficient|temporarily|server)_(?:[a-z]+_)*"
                    r"(?:grant|client|request|scope|token|type|denied|unavailable|error))(?![\w-])")


def errors(text: str) -> Matches:
    """Yield error codes: forms that only errors have, and codes that a word calls an error, with others of their series."""
    series: set[str] = set()
    for match in _SAID_ERROR.finditer(text):
        yield match.start(1), match.end(1), match[1]
        series.add(re.sub(r"\d.*", "", match[1]))
    for match in _ERROR.finditer(text):
        yield match.start(), match.end(), match[0]
    for match in _OAUTH.finditer(text):
        yield match.start(), match.end(), match[0]
    for prefix in sorted(series - {""}):
        if re.fullmatch(r"[A-Z]+[-_]?", prefix):
            for match in re.finditer(rf"(?<![0-9A-Za-z_-]){prefix}\d{{2,6}}[A-Z]?(?![0-9A-Za-z_-])", text):
                yield match.start(), match.end(), match[0]


# --- product codes ---

_CODE = re.compile(
    r"(?<![0-9A-Za-z_./@#&=-])"
    r"(?=[A-Z0-9/-]*[A-Z])(?=[A-Z0-9/-]*\d)"
    r"[A-Z]{1,6}\d{0,5}[A-Z]{0,3}(?:-[A-Z0-9]{1,8}){1,5}"
    r"(?![0-9A-Za-z_]|[./@=]\w|-\w)"
)
_SAID_CODE = re.compile(
    r"(?:型号|料号|物料(?:编码|号)|备件(?:号|型号)?|零件号|部件号|产品(?:编码|代码|型号)|货号|[Mm]odels?|[Pp]art(?: (?:no\.?|"
    r"number))?|SKU|P/N)"
    r"(?:\s*(?:为|是|[:：#]))?[\s“\"'`(（]*"
    r"((?=[A-Z0-9-]*\d)[A-Z0-9]{2,12}(?:-[A-Z0-9]{1,8}){0,5})(?![0-9A-Za-z_]|[-.]\w)"
)
_NO_PRODUCT = re.compile(
    r"(?:GB|ISO|IEC|IEEE|RFC|EN|DIN|BS|ANSI|NIST|FIPS|ITU|YD|GM|JR|DB|CVE|CWE|RHSA|COVID|SARS|UTF|SHA|MD|AES|RSA|TLS|SSL|HTTP|"
    r"ASTM|UN|X|TIA|"
    r"ORA|TNS|PLS|RMAN|SQL|ERR|ERROR|E|Q|NO|ID|PO|INV|RMB|USD|EUR|FY|CY|H|W|TCP|UDP|IPV|LTE|NR|MPEG|JPEG|ECMA|ASCII|BIG|PEP|"
    r"JSR|ADR|RFP|KB)-"
    r"|[A-Z]-\d{1,2}$|[A-Z]{1,3}-[A-Z]$|(?:19|20)\d\d-|[A-Z]\d?-[A-Z]\d?$"
)


def products(text: str) -> Matches:
    """Yield model and part numbers: capitals and digits joined by hyphens, or whatever is called a model or a part.

    Numbers of standards, advisories, encodings, figures (`A-3`) and tables are none."""
    for match in _SAID_CODE.finditer(text):
        if not re.fullmatch(r"(?:19|20)\d\d(?:-\d{1,2}){0,2}|\d{1,4}", match[1]):
            yield match.start(1), match.end(1), match[1]
    for match in _CODE.finditer(text):
        if not _NO_PRODUCT.match(match[0]):
            yield match.start(), match.end(), match[0]


# --- versions ---

_TAIL = r"(?:[-.+_]?(?:alpha|beta|rc|preview|snapshot|dev|build|patch|sp|lts|final|release|ga)(?:[-.]?\d+)*)?"
NUMBER = rf"\d{{1,4}}(?:\.\d{{1,5}}){{1,3}}(?:[a-z]\d{{0,2}})?{_TAIL}"
"""A number of two to four parts with what is said of it (`2.9.0-rc.1`)."""
_V = re.compile(rf"(?<![0-9A-Za-z_./-])[vV](?:\.\s?)?(?=\d)(?:{NUMBER}|\d{{1,4}}{_TAIL})(?![0-9A-Za-z_/]|\.\d|%)", re.IGNORECASE)
_SAID_VERSION = re.compile(
    rf"(?:版本号?|固件|补丁包?|(?:升级|降级|回退|更新|迁移)[到至]|\b(?:[Vv]ersions?|[Vv]er\.?|[Rr]eleases?|[Rr]evision|"
    rf"[Bb]uild|[Ff]irmware|[Uu]pgrade(?:d)? to|[Dd]owngrade(?:d)? to|(?:fixed|introduced|added|removed|deprecated|resolved|"
    rf"patched) in))"
    rf"(?:\s*(?:为|是|[:：]))?[\s“\"'`(（]{{0,3}}({NUMBER}|\d{{1,3}}(?=\s*(?:版|版本)))(?![0-9A-Za-z_/%]|\.\d|[-.]\d)",
)
_AND_ON = re.compile(
    rf"(?<![0-9A-Za-z_./-])({NUMBER}|\d{{1,3}}(?=\s*版本))(?=\s*(?:版(?!权|面|税)|及以上|或更高|以上版本|起不再|or (?:later|"
    rf"newer|higher|above)))",
)
_NO_VERSION = re.compile(r"(?:19|20)\d\d\.\d{1,2}(?:\.\d{1,2})?$|\d{1,2}\.\d{1,2}\.(?:19|20)?\d\d$|\d{1,3}(?:\.\d{1,3}){3}$")


def versions(text: str) -> Matches:
    """Yield versions: `v` before a number, or a word beside it that says what it is. A product's own version stands behind its
    name, and is found where names are (`entities.mentions.patterns`)."""
    for match in _V.finditer(text):
        yield match.start(), match.end(), match[0]
    for match in _SAID_VERSION.finditer(text):
        yield match.start(1), match.end(1), match[1]
    for match in _AND_ON.finditer(text):
        if not _NO_VERSION.match(match[1]):
            yield match.start(1), match.end(1), match[1]
