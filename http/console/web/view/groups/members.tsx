/** The members of a group by tier: lower tiers start first and stop last. */
import { may } from '../../session.ts'
import { hrefOf } from '../../router.ts'
import { Table } from '../../part/table.tsx'
import type { GroupMember } from './group-row.ts'

/** Tiers to choose from; a member of a higher one keeps it. */
const tiers = [1, 2, 3, 4, 5]

export interface MembersProps {
  members: readonly GroupMember[]
  isBusy: boolean
  /** All members as they are to be. */
  onChange: (members: readonly GroupMember[]) => void
}

export function Members({ members, isBusy, onChange }: MembersProps) {
  const isFixed = isBusy || !may('service.update')
  const move = (uid: string, tier: number) =>
    onChange(members.map((one) => (one.resourceUID === uid ? { ...one, tier } : one)))
  const columns = [
    {
      key: 'resource',
      title: 'Resource',
      show: ({ resourceUID }: GroupMember) => (
        <a class="clip wide" dir="auto" title={resourceUID} href={hrefOf('resource', { uid: resourceUID })}>
          {resourceUID}
        </a>
      ),
      by: ({ resourceUID }: GroupMember) => resourceUID,
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
