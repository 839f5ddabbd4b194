/** What a view is narrowed by, as chips that can be taken away, and where one more is added. All of it stands in the address. */
import { useState } from 'preact/hooks'
import type { Query } from '../address.ts'
import { without, whereName, withWhere, wordsOf, type Chip } from '../filter.ts'
import { go } from '../router.ts'
import { addCondition, parseWhere, whereText, type Condition, type Where } from '../where.ts'
import { FilterAdder } from '../filter-bar/adder.tsx'
import { Conditions } from '../filter-bar/conditions.tsx'
import { SavedFilters } from '../filter-bar/saved-filters.tsx'
import { useNames } from '../filter-bar/value-name.ts'

export interface FilterBarProps {
  chips: readonly Chip[]
  /** Days, cost and moment that values are suggested for. */
  of: Query
  /** Where other filters lead. */
  hrefOf: (chips: readonly Chip[]) => string
  /** Dimensions that may be added, each with the values that something has; left out: all of them. */
  dims?: readonly string[]
  /** Whether its reports take conditions other than "is". */
  hasConditions?: boolean
}

export function FilterBar({ chips, of, hrefOf, dims, hasConditions = false }: FilterBarProps) {
  const names = useNames(chips, of)
  const [target, setTarget] = useState<number | undefined>()
  const nameOf = (value: string) => names.get(value) ?? value
  const to = (next: readonly Chip[]) => {
    setTarget(undefined)
    const { pathname, search } = new URL(hrefOf(next), location.href)
    go(pathname.split('/').at(-1)!, new URLSearchParams(search))
  }
  const conditions = chips.find(({ name }) => name === whereName)
  const where = (conditions && parseWhere(conditions.value)) ?? []
  const toWhere = (next: Where) => to(withWhere(chips, whereText(next)))
  const add = (condition: Condition) => toWhere(addCondition(where, condition, target))
  return (
    <div class="bar filters" role="search" aria-label="Filters">
      {chips.length > 0 && (
        <ul class="chips" aria-label="Active filters">
          {chips
            .filter((chip) => chip !== conditions)
            .map((chip) => (
              <PlainChip
                key={`${chip.name} ${chip.value}`}
                chip={chip}
                nameOf={nameOf}
                onRemove={() => to(without(chips, chip))}
              />
            ))}
          {conditions && (
            <Conditions
              text={conditions.value}
              nameOf={nameOf}
              target={target}
              onTarget={setTarget}
              onWhere={toWhere}
            />
          )}
        </ul>
      )}
      <FilterAdder
        chips={chips}
        of={of}
        dims={dims}
        isAlternative={target !== undefined}
        onChips={to}
        {...(hasConditions && { onCondition: add })}
      />
      {hasConditions && <SavedFilters onChips={to} />}
      {chips.length > 1 && (
        <button type="button" class="quiet" onClick={() => to([])}>
          Remove all
        </button>
      )}
    </div>
  )
}

interface PlainChipProps {
  chip: Chip
  nameOf: (value: string) => string
  onRemove: () => void
}

function PlainChip({ chip, nameOf, onRemove }: PlainChipProps) {
  const { title, value } = wordsOf(chip)
  const name = value === chip.value ? nameOf(value) : value
  return (
    <li class="chip">
      <span class="faint nowrap">{title}</span>{' '}
      <span class="clip" dir="auto" title={value}>
        {name}
      </span>
      <button type="button" aria-label={`Remove ${title} ${name}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  )
}
