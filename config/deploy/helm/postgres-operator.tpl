{{- if .Values.operators.postgres.enabled }}
{{- $operator := .Values.operators.postgres }}
# Run by CloudNativePG: a primary that fails over to a synchronous standby. POSTGRES_URL stays as it is.
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata:
  name: postgres
spec:
  instances: {{ $operator.instances }}
  imageName: {{ $operator.image | quote }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  inheritedMetadata:
    # The network policies know PostgreSQL by this label.
    labels:
      app: postgres
      {{- with .Values.postgres.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with .Values.postgres.podAnnotations }}
    annotations: {{- toYaml . | nindent 6 }}
    {{- end }}
  bootstrap:
    initdb:
      database: tidemark
      owner: tidemark
      secret: { name: {{ $operator.secret | quote }} }
  postgresql:
    parameters:
      max_connections: {{ .Values.postgres.maxConnections | int64 | quote }}
      shared_buffers: 512MB
    {{- if gt (int $operator.instances) 1 }}
    synchronous: { method: any, number: 1 }
    {{- end }}
  managed:
    services:
      # The name in POSTGRES_URL follows the primary.
      additional:
        - selectorType: rw
          serviceTemplate: { metadata: { name: postgres }, spec: { type: ClusterIP } }
  storage:
    size: {{ .Values.postgres.storage.size | quote }}
    {{- with .Values.postgres.storage.storageClass }}
    storageClass: {{ . | quote }}
    {{- end }}
  {{- with .Values.postgres.resources }}
  resources: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.postgres.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  affinity:
    enablePodAntiAffinity: true
    podAntiAffinityType: required
    {{- with .Values.postgres.nodeSelector }}
    nodeSelector: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .Values.postgres.tolerations }}
    tolerations: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with (.Values.postgres.affinity).nodeAffinity }}
    nodeAffinity: {{- toYaml . | nindent 6 }}
    {{- end }}
  {{- with .Values.postgres.topologySpreadConstraints }}
  topologySpreadConstraints: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if .Values.networkPolicies }}
---
# The instances, their jobs, the operator, and the server of the cluster's API, whose address differs by cluster.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: postgres-operator
spec:
  podSelector: { matchLabels: { cnpg.io/cluster: postgres } }
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - podSelector: { matchLabels: { cnpg.io/cluster: postgres } }
        - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ $operator.namespace | quote }} } }
      ports: [{ port: 5432 }, { port: 8000 }]
  egress:
    - to: [{ podSelector: { matchLabels: { cnpg.io/cluster: postgres } } }]
      ports: [{ port: 5432 }, { port: 8000 }]
    - ports: [{ port: 443 }, { port: 6443 }]
{{- end }}
{{- end }}
