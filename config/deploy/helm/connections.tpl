{{- /* One more of each role runs while a new version replaces them. */}}
{{- if or .Values.stores.postgres .Values.operators.postgres.enabled }}
{{- $scaling := .Values.engine.autoscaling }}
{{- $engines := ternary .Values.engine.replicas $scaling.maxReplicas (eq $scaling.kind "none") | int }}
{{- $needed := add (mul 33 (add1 $engines)) (mul 32 (add1 (int .Values.edge.maxReplicas))) 10 }}
{{- if gt $needed (int64 .Values.postgres.maxConnections) }}
{{- fail (printf "postgres.maxConnections must be at least %d for %d engines and %v edges, got %v" $needed $engines .Values.edge.maxReplicas .Values.postgres.maxConnections) }}
{{- end }}
{{- end }}
