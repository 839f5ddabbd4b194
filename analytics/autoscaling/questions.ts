/** What is known of the load of targets. */
import { t } from '#engine/schema.ts'
import { questions } from '#analytics/store/query.ts'

const query = questions(import.meta.url)

/** `until` is `YYYY-MM-DD HH:MM:SS` UTC. */
export const averageCpu = query(
  'average_cpu',
  t.Object({ org: t.String(), account: t.String(), uids: t.Array(t.String()), until: t.String() }),
  t.Object({ resource_uid: t.String(), average: t.Number() }),
  { org: 'o1', account: 'acct-1', uids: ['asg-web'], until: '2026-01-31 00:00:00' },
)

export const autoscalingQuestions = [averageCpu]
