/** Tags that policies derive: accepted ones count in reports where the cloud has none of the key. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { StatusChoice } from './suggestions.tsx'

type SmartTagPage = Reply<'GET /smart-tags'>
type Entry = SmartTagPage['items'][number]

const pageSize = 25
const statuses = ['pending', 'accepted'] as const

export function Smart({ onDecided }: { onDecided: () => void }) {
  const page = Number(param('page') ?? 1)
  const status = statuses.find((one) => one === param('status')) ?? 'pending'
  const report = useReport('GET /smart-tags', { query: { status, page, limit: pageSize }, on: ['inventory.'] })
  const doing = useRequest('PATCH /smart-tags')
  const decided = () => {
    report.again()
    onDecided()
  }
  const accept = (resourceUid: string) => void doing.run({ body: { resourceUid, all: true, accepted: true } }, decided)
  const revoke = (resourceUid: string, keys: string[]) =>
    void doing.run({ body: { resourceUid, keys, accepted: false } }, decided)
  const columns = [
    {
      key: 'resource',
      title: 'Resource',
      show: ({ resourceName, resourceUid, resourceType }: Entry) => (
        <>
          <span class="clip wide" dir="auto" title={resourceUid}>
            {resourceName || resourceUid}
          </span>
          <span class="faint">{resourceType}</span>
        </>
      ),
    },
    {
      key: 'tags',
      title: status === 'pending' ? 'Pending' : 'Accepted',
      show: (entry: Entry) => (
        <ul class="chips">
          {Object.entries(entry[status]).map(([key, value]) => (
            <li key={key} class="tag clip" title={`${key}: ${value}`}>
              {key}: {value}
            </li>
          ))}
        </ul>
      ),
    },
    {
      key: 'decide',
      title: 'Decision',
      show: ({ resourceUid, resourceName, accepted }: Entry) =>
        status === 'pending' ? (
          <Act
            needs="service.update"
            isSmall
            disabled={doing.isBusy}
            label={`Accept for ${resourceName}`}
            onClick={() => accept(resourceUid)}
          >
            Accept
          </Act>
        ) : (
          <Act
            needs="service.update"
            isSmall
            class="quiet"
            disabled={doing.isBusy}
            label={`Revert for ${resourceName}`}
            onClick={() => revoke(resourceUid, Object.keys(accepted))}
          >
            Revert
          </Act>
        ),
    },
  ]
  return (
    <Panel
      title="Derived by policies"
      about="never written to a cloud"
      tools={
        <>
          <StatusChoice status={status} statuses={statuses} />
          <Copies report={report} />
        </>
      }
    >
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      <ReportContent report={report} rows={8}>
        {({ items, counts, hasMore }: SmartTagPage) => (
          <>
            <p class="faint">
              {pluralize(counts.pending, 'resource')} with pending tags, {pluralize(counts.accepted, 'resource')} with
              accepted ones. Accepting applies to all past months immediately and can be reverted. To accept all tags of
              a policy at once, see <a href={hrefOf('tags', { tab: 'policies' })}>Policies</a>.
            </p>
            {items.length === 0 ? (
              <Empty title={status === 'pending' ? 'No pending derived tags.' : 'No accepted derived tags.'}>
                <p>
                  A tagging policy derives tags from resource attributes.{' '}
                  <Next needs="service.create" what="Creating one">
                    Create one with <code>POST /policies</code> or <code>npm run -s tidemark -- policy apply</code>.
                  </Next>
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Derived tags"
                  columns={columns}
                  rows={items}
                  keyOf={({ resourceUid, cloudAccountId }: Entry) => `${cloudAccountId} ${resourceUid}`}
                />
                <nav class="pages" aria-label="Pages">
                  <button type="button" disabled={page <= 1} onClick={() => change({ page: page - 1 })}>
                    Previous
                  </button>
                  <span class="faint">page {page}</span>
                  <button type="button" disabled={!hasMore} onClick={() => change({ page: page + 1 })}>
                    Next
                  </button>
                </nav>
              </>
            )}
          </>
        )}
      </ReportContent>
    </Panel>
  )
}
