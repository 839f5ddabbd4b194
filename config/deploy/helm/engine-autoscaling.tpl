{{- /* Each change moves lanes between engines: one engine at a time, down only after half an hour. */}}
{{- define "tidemark.engineBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 120
  policies: [{ type: Pods, value: 1, periodSeconds: 120 }]
scaleDown:
  stabilizationWindowSeconds: 1800
  policies: [{ type: Pods, value: 1, periodSeconds: 600 }]
{{- end }}
{{- with .Values.engine.autoscaling }}
{{- if eq .kind "hpa" }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: engine
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: engine }
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: External
      external:
        metric: { name: {{ .metric | quote }} }
        target: { type: AverageValue, averageValue: {{ .lagMessages | int64 | quote }} }
  behavior: {{- include "tidemark.engineBehavior" $ | nindent 4 }}
{{- else if eq .kind "keda" }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: engine
spec:
  scaleTargetRef: { name: engine }
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  triggers:
    - type: prometheus
      metricType: AverageValue
      metadata:
        serverAddress: {{ .prometheus | quote }}
        # Each lane once, also while it moves from one engine to another.
        query: sum(max by (lane) (tidemark_lane_lag_messages{job="tidemark"}))
        threshold: {{ .lagMessages | int64 | quote }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {{- include "tidemark.engineBehavior" $ | nindent 8 }}
{{- end }}
{{- end }}
