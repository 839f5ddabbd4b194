/** One group: its members in start order, which are added, moved between tiers and removed here. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { PickResource } from '../../part/pick-resource.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport, useRequest } from '../../report.ts'
import { may } from '../../session.ts'
import type { GroupMember } from './group-row.ts'
import { Members } from './members.tsx'

type Group = Reply<'GET /resource-groups/:groupID'>

export interface DetailProps {
  id: string
  onClose: () => void
  onChanged: () => void
}

export function Detail({ id, onClose, onChanged }: DetailProps) {
  const report = useReport('GET /resource-groups/:groupID', { params: { groupID: id } })
  return (
    <div class="opened">
      <Panel
        title={report.data?.name ?? 'Group'}
        about={report.data?.description}
        tools={
          <>
            <Copies report={report} />
            <button type="button" class="quiet" onClick={onClose}>
              Close ✕
            </button>
          </>
        }
      >
        <ReportContent report={report} rows={4}>
          {(group: Group) => (
            <OneGroup
              group={group}
              onClose={onClose}
              onChanged={() => {
                report.again()
                onChanged()
              }}
            />
          )}
        </ReportContent>
      </Panel>
    </div>
  )
}

interface OneGroupProps {
  group: Group
  onClose: () => void
  onChanged: () => void
}

function OneGroup({ group, onClose, onChanged }: OneGroupProps) {
  const doing = useRequest('PUT /resource-groups/:groupID/members')
  const put = (members: readonly GroupMember[]) =>
    void doing.run({ params: { groupID: group.id }, body: { members } }, onChanged)
  const { members } = group
  return (
    <>
      {members.length === 0 ? (
        <Empty title="This group has no resources yet." />
      ) : (
        <Members members={members} isBusy={doing.isBusy} onChange={put} />
      )}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      {may('service.update') && (
        <PickResource
          label="Add a resource"
          chosen={members.map(({ resourceUID }) => resourceUID)}
          onPick={(_, resourceUID) => put([...members, { resourceUID, tier: 1, order: 0 }])}
        />
      )}
      <p class="bar">
        <a href={hrefOf('budgets', { new: 'group' })}>Create a budget for a group</a>
        <a href={hrefOf('schedules', { new: 'schedule' })}>Create a schedule</a>
        <Delete group={group} onClose={onClose} onChanged={onChanged} />
      </p>
    </>
  )
}

function Delete({ group, onClose, onChanged }: OneGroupProps) {
  const [isAsked, setAsked] = useState(false)
  const doing = useRequest('DELETE /resource-groups/:groupID')
  const params = { groupID: group.id }
  const remove = () =>
    void doing.run({ params }, () => {
      onChanged()
      onClose()
    })
  return (
    <>
      <Act needs="service.delete" class="danger" onClick={() => setAsked(true)}>
        Delete group
      </Act>
      {isAsked && (
        <Confirm
          title={`Delete ${group.name}?`}
          action="Delete group"
          isDanger
          doing={doing}
          request={{ operation: 'DELETE /resource-groups/:groupID', params }}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>
            Its {pluralize(group.members.length, 'resource')} stay as they are: nothing is started, stopped or deleted
            in the cloud. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  )
}
