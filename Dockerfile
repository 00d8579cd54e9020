# Concord with everything that a worker, a Prefect server and a server of answers need. The user is nobody's: 10001, without a shell.
# The base is named by its version; whoever builds for others pins it by digest: --build-arg PYTHON=python:3.11.9-slim-bookworm@sha256:...
ARG PYTHON=python:3.11.9-slim-bookworm

FROM ${PYTHON} AS built
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY ingest ingest
COPY entities entities
COPY indexes indexes
COPY flows flows
RUN python -m venv /usr/local/concord \
 && /usr/local/concord/bin/python -m pip install --no-cache-dir -c constraints.txt '.[all]'

FROM ${PYTHON}
RUN groupadd --gid 10001 concord \
 && useradd --uid 10001 --gid concord --home-dir /var/lib/concord --no-create-home --shell /usr/sbin/nologin concord \
 && mkdir -p /var/lib/concord/kb /var/lib/concord/models /var/lib/concord/prefect /var/lib/concord/serve /srv/docs \
 && chown -R concord:concord /var/lib/concord
COPY --from=built /usr/local/concord /usr/local/concord
ENV PATH=/usr/local/concord/bin:$PATH PYTHONUTF8=1 PYTHONUNBUFFERED=1 HOME=/var/lib/concord DO_NOT_TRACK=1 \
    PREFECT_HOME=/var/lib/concord/prefect PREFECT_SERVER_ANALYTICS_ENABLED=false \
    INGEST_KB=/var/lib/concord/kb INGEST_MODELS=/var/lib/concord/models INGEST_SERVE__FOLDER=/var/lib/concord/serve
WORKDIR /var/lib/concord
USER 10001:10001
CMD ["ingest", "--help"]
