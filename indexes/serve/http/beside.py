"""Two applications behind one guard, on one port: the API, and beside it another at a path of its own."""

from __future__ import annotations

from indexes.serve.http.guard import App, Receive, Scope, Send


def beside(app: App, path: str, other: App) -> App:
    """Return an application that gives `path` and what is below it to `other`, everything else to `app`. Only `other` is told of
    start and end: the API has nothing to begin or to finish."""

    async def both(scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope.get("path", "")
        theirs = scope["type"] != "http" or asked == path or asked.startswith(f"{path}/")
        await (other if theirs else app)(scope, receive, send)

    return both
