{{- if and .Values.networkPolicies .Values.egress }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: to-more
spec:
  podSelector: { matchLabels: { part-of: tidemark } }
  policyTypes: [Egress]
  egress: {{- toYaml .Values.egress | nindent 4 }}
{{- end }}
