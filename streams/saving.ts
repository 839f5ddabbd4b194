/** What has been saved by stopping resources. */
import { t } from '#engine/schema.ts'
import { subject } from '#engine/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'

/** Reminder: while a resource is off, what that has saved so far is written down. */
export const savingDue = subject({
  name: 'saving.due',
  kind: 'actor',
  summary: 'What a stopped resource has saved so far is to be written down.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: text({ minLength: 1, maxLength: 1024 }), resourceUid: ResourceUid }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1' }],
})

export const savingMessages = [savingDue]
