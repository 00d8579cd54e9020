"""Who may see a row, and who is asking.

The rule of the product in one place: `Access.admits`. Indexes hold the same rule as three columns (tenant, level, `acl`),
so that each can apply it before ranking; `acl_of` and `tokens` are the two sides of that encoding and must agree with
`admits`, which a property test holds them to.
"""

from __future__ import annotations

from dataclasses import dataclass

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller. The default is nobody: clearance 0, no tenant, in no list."""

    user: str | None = None
    roles: tuple[str, ...] = ()
    tenant: str | None = None
    level: int = 0

    def tokens(self) -> tuple[str, ...]:
        """The `acl` entries that admit this caller."""
        mine = [EVERYBODY]
        if self.user:
            mine.append(f"u:{self.user}")
        mine.extend(f"r:{role}" for role in self.roles)
        return tuple(mine)


@dataclass(frozen=True, slots=True)
class Access:
    """What a document says of its readers. `users` and `roles` are allow-lists; None means that no list was given.

    An empty list is a list: it admits nobody. `*` in a list admits everybody.
    """

    tenant: str | None = None
    users: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    level: int = 0

    def admits(self, who: Principal) -> bool:
        """Tenant absent or the caller's, level within clearance, and no list or a list that names the caller."""
        if self.tenant is not None and self.tenant != who.tenant:
            return False
        if self.level > who.level:
            return False
        return bool(set(self.acl()) & set(who.tokens()))

    def acl(self) -> tuple[str, ...]:
        """The lists as one sorted column; `("*",)` when there is no list, `()` when the lists admit nobody."""
        if self.users is None and self.roles is None:
            return (EVERYBODY,)
        entries = {EVERYBODY if user == EVERYBODY else f"u:{user}" for user in self.users or ()}
        entries |= {EVERYBODY if role == EVERYBODY else f"r:{role}" for role in self.roles or ()}
        return tuple(sorted(entries))

    def at_least_as_open_as(self, other: Access) -> bool:
        """Whether everybody whom `other` admits is admitted here too (used where one document closes another's window)."""
        if self.tenant is not None and self.tenant != other.tenant:
            return False
        if self.level > other.level:
            return False
        mine = set(self.acl())
        return EVERYBODY in mine or set(other.acl()) <= mine
