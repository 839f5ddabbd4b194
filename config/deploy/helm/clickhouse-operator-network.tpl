{{- if and .Values.networkPolicies .Values.operators.clickhouse.enabled }}
# The operator watches its servers.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: clickhouse-operator
spec:
  podSelector: { matchLabels: { app: clickhouse } }
  policyTypes: [Ingress]
  ingress:
    - from:
        - namespaceSelector:
            matchLabels: { kubernetes.io/metadata.name: {{ .Values.operators.clickhouse.namespace | quote }} }
      ports: [{ port: 8123 }]
{{- end }}
