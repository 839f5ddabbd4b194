/** Channels, event types and names that several parts of the view show. */
import type { Reply } from '../../api.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'

export type Channels = Reply<'GET /notifications/channels'>
export type Channel = Channels[number]
export type EventTypes = Reply<'GET /notifications/event-types'>
export type EventType = EventTypes[number]
export type Subscriptions = Reply<'GET /notifications/subscriptions'>
export type Subscription = Subscriptions[number]

export const useChannels = () => useReport('GET /notifications/channels', { on: ['anomaly.', 'budget.'] })

export const typeTitles: Readonly<Record<string, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  google_chat: 'Google Chat',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  generic_webhook: 'Webhook of your own',
  email: 'Email',
}

/** Of an address that may be posted to, what is no secret. */
export function addressShown({ email, webhookURL }: Channel['config']): string {
  if (email !== undefined) return email
  const parsed = URL.parse(webhookURL ?? '')
  return parsed ? `${parsed.protocol}//${parsed.host}/…` : '…'
}

/** Events of an anomaly share their names: how bad it is stands at the end of the key. */
export const eventName = ({ key, name }: EventType): string => {
  const severity = /^cost\.anomaly\.\w+\.(\w+)$/.exec(key)?.[1]
  return severity === undefined ? name : `${name} (${severity})`
}

/** What subscriptions are of: the first hundred of each, by id. */
export function useScopeNames() {
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 }, when: may('space.view') })
  const teams = useReport('GET /teams', { query: { limit: 100 } })
  const groups = useReport('GET /resource-groups', { query: { limit: 100 } })
  return {
    cloud_account: accounts.data?.items ?? [],
    team: teams.data?.items ?? [],
    resource_group: groups.data?.items ?? [],
  }
}
export type ScopeNames = ReturnType<typeof useScopeNames>
