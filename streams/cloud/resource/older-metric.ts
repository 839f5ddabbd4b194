/** Maps older names of metrics to those of rules, depending on the resource type. */
import { isCounted, kubernetesKind } from './resource-type.ts'
import { olderMetrics, type OlderMetric, type RuleMetric } from '#streams/metric/messages.ts'

/** Types whose disks are separate resources: their `disk_percent` is not used by rules. */
const machine =
  /-(ec2|vm|asg|mig|vmss|eks-nodegroup|gke-nodepool|aks-nodepool|node|sql-vm|lightsail|workspace|workbench)$/

/** The name that rules use for an older one, for resources of the type; undefined if there is none. */
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

/**
 * The older name whose samples can be used for a metric of rules, for resources of the type; undefined if there is
 * none.
 */
export const olderNameOf = (metric: RuleMetric, type: string): OlderMetric | undefined =>
  olderMetrics.find((name) => toRuleMetric(name, type) === metric)
