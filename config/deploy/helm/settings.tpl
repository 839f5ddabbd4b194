# Settings shared by both roles. Secrets, and URLs with passwords, are in the Secret.
apiVersion: v1
kind: ConfigMap
metadata:
  name: tidemark
data:
{{- range $name, $value := .Values.settings }}
  {{ $name }}: {{ $value | quote }}
{{- end }}
{{- range $name, $value := .Values.environment }}
  {{ $name }}: {{ $value | quote }}
{{- end }}
