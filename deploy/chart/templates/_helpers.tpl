{{- define "portico.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "portico.selector" -}}
app.kubernetes.io/name: portico
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "portico.labels" -}}
{{ include "portico.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "portico.image" -}}
{{- $repository := required "image.repository is the name of the image that you built, such as registry.example.com/portico" .Values.image.repository -}}
{{- if .Values.image.digest -}}{{ $repository }}@{{ .Values.image.digest }}{{- else -}}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end -}}
{{- end -}}

{{- /* The secrets that are variables, and their names in secret.keys, in the order of the pod's environment. The others are files. */ -}}
{{- define "portico.secretVariables" -}}
- { variable: WEBHOOK_SECRET, of: webhookSecret }
- { variable: DATABASE_URL, of: databaseUrl }
- { variable: SEAL_KEYS, of: sealKeys }
- { variable: PRIVATE_KEY_PREVIOUS, of: privateKeyPrevious }
- { variable: WEBHOOK_SECRET_PREVIOUS, of: webhookSecretPrevious }
- { variable: SIGNING_KEY, of: signingKey }
- { variable: NOTIFY_URL, of: notifyUrl }
- { variable: NOTIFY_SECRET, of: notifySecret }
- { variable: OTEL_EXPORTER_OTLP_HEADERS, of: otlpHeaders }
{{- end -}}

{{- /* Numbers come as floats, which would be written as 1e+06. */ -}}
{{- define "portico.appId" -}}
{{- if kindIs "string" .Values.app.id -}}{{ .Values.app.id }}{{- else -}}{{ int64 .Values.app.id }}{{- end -}}
{{- end -}}
