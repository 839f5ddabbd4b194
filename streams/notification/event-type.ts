/** The catalogue of event types for notifications (decision G-92). */
import { anomalySeverities, anomalyTypes, type AnomalySeverity, type AnomalyType } from '#streams/anomaly.ts'

export const eventCategories = ['resource', 'budget', 'cost_anomaly'] as const
type EventCategory = (typeof eventCategories)[number]

type ResourceEvent = 'started' | 'stopped' | 'failed' | 'override' | 'retry_exhausted'
type BudgetEvent = 'warning' | 'exceeded'
type AnomalyEvent = `${'' | `${Exclude<AnomalyType, 'org'>}.`}${AnomalySeverity}`

/** What happened: the key of an event type. */
export type EventType = `resource.${ResourceEvent}` | `budget.${BudgetEvent}` | `cost.anomaly.${AnomalyEvent}`

/** An entry of the catalogue. */
export interface EventTypeDescriptor {
  readonly key: EventType
  readonly name: string
  readonly category: EventCategory
}

const resource = (key: ResourceEvent, name: string): EventTypeDescriptor => ({
  key: `resource.${key}`,
  name,
  category: 'resource',
})
const budget = (key: BudgetEvent, name: string): EventTypeDescriptor => ({
  key: `budget.${key}`,
  name,
  category: 'budget',
})

/** Name of an anomaly's event by type of scope; events of the whole organization contain the severity. */
const anomalyNames = {
  org: '',
  cloud_account: 'Cloud Account Anomaly',
  resource_group: 'Resource Group Anomaly',
  resource: 'Resource Anomaly',
  team: 'Team Anomaly',
} as const satisfies Record<AnomalyType, string>

/** The event type of an anomaly of this severity. */
export const anomalyEvent = (type: AnomalyType, severity: AnomalySeverity): EventType =>
  type === 'org' ? `cost.anomaly.${severity}` : `cost.anomaly.${type}.${severity}`

const anomalies = anomalyTypes.flatMap((type) =>
  anomalySeverities.map((severity): EventTypeDescriptor => {
    const title = `Cost Anomaly (${severity.charAt(0).toUpperCase()}${severity.slice(1)})`
    return { key: anomalyEvent(type, severity), name: anomalyNames[type] || title, category: 'cost_anomaly' }
  }),
)

/** All event types that can be subscribed to, in the interface's order. */
export const eventTypes: readonly EventTypeDescriptor[] = [
  resource('started', 'Resource Started'),
  resource('stopped', 'Resource Stopped'),
  resource('failed', 'Action Failed'),
  resource('override', 'Override Triggered'),
  resource('retry_exhausted', 'Retry Exhausted'),
  budget('warning', 'Budget Warning'),
  budget('exceeded', 'Budget Exceeded'),
  ...anomalies,
]

const byKey = new Map<string, EventTypeDescriptor>(eventTypes.map((type) => [type.key, type]))

/** The catalogue's entry; undefined if there is no such event type. */
export const eventTypeOf = (key: string): EventTypeDescriptor | undefined => byKey.get(key)
