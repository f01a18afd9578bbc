#!/bin/sh
# vmagent that writes to the relay. Its labels must not begin with two underscores: it drops those.
exec vmagent \
	-promscrape.config=scrape.yml \
	-remoteWrite.url=http://slipstream:8080/api/v1/push \
	-remoteWrite.basicAuth.username=vmagent \
	-remoteWrite.basicAuth.passwordFile=vmagent.password \
	-remoteWrite.relabelConfig=vmagent-relabel.yml \
	-remoteWrite.sendTimeout=1m \
	-remoteWrite.tmpDataPath=/var/lib/vmagent \
	-remoteWrite.maxDiskUsagePerURL=10GB
