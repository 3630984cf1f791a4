{{- define "darkroom.labels" -}}
app.kubernetes.io/name: darkroom
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "darkroom.selector" -}}
app.kubernetes.io/name: darkroom
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "darkroom.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "darkroom.env" -}}
- name: DARKROOM_PUBLIC_URL
  value: {{ required "publicUrl is required" .Values.publicUrl | quote }}
- name: DARKROOM_STORAGE
  value: {{ required "storage is required" .Values.storage | quote }}
{{- with .Values.trustedProxies }}
- name: DARKROOM_TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- range $key := concat (list "database-url" "darkroom-secret") .Values.secretKeys }}
- name: {{ $key | upper | replace "-" "_" }}_FILE
  value: /run/secrets/darkroom/{{ $key }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "darkroom.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "darkroom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "darkroom.mounts" -}}
- name: secrets
  mountPath: /run/secrets/darkroom
  readOnly: true
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "darkroom.volumes" -}}
- name: secrets
  secret:
    secretName: {{ required "existingSecret is required" .Values.existingSecret }}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end }}
