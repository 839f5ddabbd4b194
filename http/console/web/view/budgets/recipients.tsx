/** Who is told when a budget reaches a threshold: owners and admins, and the channels that are subscribed for it. */
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { idOfScope, type ScopeDraft } from './last-month.tsx'
import type { Scopes } from './scopes.ts'

export function Recipients({ draft, scopes }: { draft: ScopeDraft; scopes: Scopes }) {
  const subscriptions = useReport('GET /notifications/subscriptions').data ?? []
  const channels = useReport('GET /notifications/channels').data ?? []
  const id = idOfScope(draft, scopes)
  const type = draft.kind === 'group' ? 'resource_group' : 'team'
  const own = subscriptions.filter(
    ({ eventType, enabled, scopeType, scopeID }) =>
      enabled &&
      eventType.startsWith('budget.') &&
      (scopeType === 'org' || (id !== undefined && scopeType === type && scopeID === id)),
  )
  const names = channels.filter(({ id: channel }) => own.some(({ channelID }) => channelID === channel))
  return (
    <p class="faint">
      Notified: owners and admins by email
      {names.length > 0 && (
        <>
          , and {names.length === 1 ? 'the channel' : 'the channels'}{' '}
          <span dir="auto">{names.map(({ name }) => name).join(', ')}</span>
        </>
      )}
      . <a href={hrefOf('notifications', { tab: 'subscriptions' })}>Change who is notified</a>
    </p>
  )
}
