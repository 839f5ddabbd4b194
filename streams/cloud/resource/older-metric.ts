/** What the older names of metrics are to rules, which depends on the type of the resource. */
import { isCounted, kubernetesKind } from './resource-type.ts'
import { olderMetrics, type OlderMetric, type RuleMetric } from '#streams/metric/messages.ts'

/** Machines have disks of their own kind, whose use theirs is not. */
const machine =
  /-(ec2|vm|asg|mig|vmss|eks-nodegroup|gke-nodepool|aks-nodepool|node|sql-vm|lightsail|workspace|workbench)$/

/** The name by which rules for resources of the type read an older one; undefined where they read nothing like it. */
function toRuleMetric(name: OlderMetric, type: string): RuleMetric | undefined {
  switch (name) {
    case 'network_in_bytes':
      return 'network_bytes_in'
    case 'network_out_bytes':
      return 'network_bytes_out'
    case 'request_count':
      return 'requests'
    case 'disk_percent':
      return machine.test(type) ? undefined : 'storage_used_percent'
    case 'instance_count':
      return unitsOf(type)
    default:
      return name satisfies never
  }
}

function unitsOf(type: string): RuleMetric {
  if (kubernetesKind(type) !== undefined) return 'replicas'
  return isCounted(type) ? 'capacity' : 'instances'
}

/** The older name whose samples answer, for resources of the type, a metric that rules read; undefined where there is none. */
export const olderNameOf = (metric: RuleMetric, type: string): OlderMetric | undefined =>
  olderMetrics.find((name) => toRuleMetric(name, type) === metric)
