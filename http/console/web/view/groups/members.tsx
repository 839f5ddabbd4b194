/** The members of a group by tier: lower tiers start first and stop last. */
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { hrefOf } from '../../router.ts'
import { Table } from '../../part/table.tsx'
import type { GroupMember } from './group-row.ts'

/** Tiers to choose from; a member of a higher one keeps it. */
const tiers = [1, 2, 3, 4, 5]

/** As many as the API looks up at once. */
const lookedUpMax = 1000

/** Names as the inventory has them; its UID for one that it does not know. */
function useNames(members: readonly GroupMember[]): (uid: string) => string {
  const uids = members.slice(0, lookedUpMax).map(({ resourceUID }) => resourceUID)
  const { data } = useReport('POST /resources/by-uids', { body: { uids }, when: uids.length > 0 && may('space.view') })
  const names = new Map((data ?? []).map(({ uid, name }) => [uid, name]))
  return (uid) => names.get(uid) || uid
}

export interface MembersProps {
  members: readonly GroupMember[]
  isBusy: boolean
  /** All members as they are to be. */
  onChange: (members: readonly GroupMember[]) => void
}

export function Members({ members, isBusy, onChange }: MembersProps) {
  const isFixed = isBusy || !may('service.update')
  const nameOf = useNames(members)
  const move = (uid: string, tier: number) =>
    onChange(members.map((one) => (one.resourceUID === uid ? { ...one, tier } : one)))
  const columns = [
    {
      key: 'resource',
      title: 'Resource',
      show: ({ resourceUID }: GroupMember) => (
        <a class="clip wide" dir="auto" title={resourceUID} href={hrefOf('resource', { uid: resourceUID })}>
          {nameOf(resourceUID)}
        </a>
      ),
      by: ({ resourceUID }: GroupMember) => nameOf(resourceUID),
    },
    {
      key: 'tier',
      title: 'Start order',
      show: ({ resourceUID, tier }: GroupMember) => (
        <select
          aria-label={`Start order of ${resourceUID}`}
          disabled={isFixed}
          onChange={(event: Event) => move(resourceUID, Number((event.target as HTMLSelectElement).value))}
        >
          {[...new Set([...tiers, tier])].map((one) => (
            <option key={one} value={one} selected={one === tier}>
              {one}
            </option>
          ))}
        </select>
      ),
      by: ({ tier }: GroupMember) => tier,
    },
    {
      key: 'remove',
      title: 'Actions',
      show: ({ resourceUID }: GroupMember) => (
        <button
          type="button"
          class="quiet"
          disabled={isFixed}
          aria-label={`Remove ${resourceUID}`}
          onClick={() => onChange(members.filter((one) => one.resourceUID !== resourceUID))}
        >
          Remove
        </button>
      ),
    },
  ]
  return (
    <Table caption="Members" columns={columns} rows={members} keyOf={({ resourceUID }: GroupMember) => resourceUID} />
  )
}
