/** Tags that policies derive: accepted ones count in reports where the cloud has none of the key. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { toast } from '../../part/toast.tsx'
import { Tags } from './suggestions.tsx'

type Page = Reply<'GET /smart-tags'>
type Entry = Page['items'][number]

const pageSize = 25
const filters = [{ name: 'status', title: 'Status', none: 'pending', choices: [['accepted', 'accepted']] }]

export function Smart({ onDecided }: { onDecided: () => void }) {
  const status = param('status') === 'accepted' ? 'accepted' : 'pending'
  const query = { status, page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /smart-tags', { query, on: ['inventory.'] })
  const doing = useRequest('PATCH /smart-tags')
  const decided = () => {
    report.again()
    onDecided()
  }
  const revoke = (resourceUid: string, keys: string[]) =>
    void doing.run({ body: { resourceUid, keys, accepted: false } }, decided)
  const accept = ({ resourceUid, resourceName, pending }: Entry) =>
    void doing.run({ body: { resourceUid, all: true, accepted: true } }, () => {
      decided()
      toast(`Tags of ${resourceName || resourceUid} accepted.`, () => revoke(resourceUid, Object.keys(pending)))
    })
  const columns: Column<Entry>[] = [
    {
      title: 'Resource',
      text: ({ resourceName, resourceUid }) => resourceName || resourceUid,
      hint: ({ resourceUid }) => resourceUid,
      href: ({ resourceUid, cloudAccountId }) =>
        hrefOf('resource', { uid: resourceUid, cloud_account_id: cloudAccountId }),
      sub: ({ resourceType }) => resourceType,
    },
    {
      title: status === 'pending' ? 'Pending' : 'Accepted',
      show: (entry) => <Tags tags={Object.entries(entry[status]).map(([key, value]) => `${key}: ${value}`)} />,
    },
    {
      title: 'Decision',
      isAction: true,
      show: (entry) => (
        <Act
          needs="service.update"
          isSmall
          class={status === 'pending' ? '' : 'quiet'}
          disabled={doing.isBusy}
          label={`${status === 'pending' ? 'Accept' : 'Revert'} for ${entry.resourceName}`}
          onClick={() =>
            status === 'pending' ? accept(entry) : revoke(entry.resourceUid, Object.keys(entry.accepted))
          }
        >
          {status === 'pending' ? 'Accept' : 'Revert'}
        </Act>
      ),
    },
  ]
  return (
    <ListView
      title="Derived by policies"
      noun="derived tags"
      caption="Derived tags"
      about="never written to a cloud"
      report={report}
      columns={columns}
      filters={filters}
      keyOf={({ resourceUid, cloudAccountId }) => `${cloudAccountId} ${resourceUid}`}
      hasMore={({ hasMore }) => hasMore}
      bones={8}
      intro={doing.problem && <ProblemMessage problem={doing.problem} />}
      summary={({ counts }: Page) => (
        <p class="faint">
          {pluralize(counts.pending, 'resource')} with pending tags, {pluralize(counts.accepted, 'resource')} with
          accepted ones. Accepting applies to all past months immediately and can be reverted. To accept all tags of a
          policy at once, see <a href={hrefOf('tags', { tab: 'policies' })}>Policies</a>.
        </p>
      )}
      empty={{
        title: 'No pending derived tags.',
        children: (
          <p>
            A tagging policy derives tags from resource attributes.{' '}
            <Next needs="service.create" what="Creating one">
              Create one with <code>POST /policies</code> or <code>npm run -s tidemark -- policy apply</code>.
            </Next>
          </p>
        ),
      }}
    />
  )
}
