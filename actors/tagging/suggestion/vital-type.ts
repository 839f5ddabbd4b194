/** Resource types that production cannot do without. */
import { kubernetesKind, resourceTypes } from '#streams/cloud/resource/resource-type.ts'

/** Managed databases of another category. */
const warehouses: readonly string[] = ['aws-redshift', 'aws-opensearch', 'azure-synapse-sql-pool']
/** Copies contain data but serve nobody. */
const copies = /snapshot|backup/

const vital: ReadonlySet<string> = new Set(
  resourceTypes
    .filter(({ type, kind, category, displayName }) => {
      if (kubernetesKind(type) !== undefined) return false
      const isDatabase = category === 'Databases' || warehouses.includes(type)
      return (isDatabase && !copies.test(kind)) || /\bcluster\b/i.test(displayName)
    })
    .map(({ type }) => type),
)

/** Whether resources of the type are managed databases or clusters. */
export const isVitalType = (type: string): boolean => vital.has(type)
