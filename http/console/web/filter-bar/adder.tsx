/** Adds a filter: a dimension, a comparison, and a value that is suggested with its dollars. */
import { useState } from 'preact/hooks'
import type { Query } from '../address.ts'
import { dimensions, isTag, keyOf } from '../filter-dimension.ts'
import { addTagKey, addValue, type Chip } from '../filter.ts'
import { hasValues, opsOf, opTitles, type Condition, type Op } from '../where.ts'
import { anyValue, useSuggestions } from './suggestions.ts'
import { Suggest } from '../part/suggest.tsx'

/** `tag` narrows by keys first, then by the values of one. */
const addable = [...dimensions, { name: 'tag', title: 'Tag' }]

export interface FilterAdderProps {
  chips: readonly Chip[]
  /** Days, cost and moment that values are suggested for. */
  of: Query
  dims: readonly string[] | undefined
  /** What is added is an alternative to a condition that was chosen. */
  isAlternative: boolean
  onChips: (chips: readonly Chip[]) => void
  /** Left out where reports take no conditions. */
  onCondition?: (condition: Condition) => void
}

const titleHere = (dim: string): string =>
  isTag(dim) ? `Tag ${keyOf(dim)}` : addable.find(({ name }) => name === dim)!.title

export function FilterAdder(props: FilterAdderProps) {
  const { chips, of, dims, isAlternative, onChips, onCondition } = props
  const [dim, setDim] = useState(dims?.[0] ?? 'service_name')
  const [chosenOp, setOp] = useState<Op>('is')
  const [isOpened, setOpened] = useState(false)
  const [text, setText] = useState('')
  const ops = onCondition && dim !== 'invoice_id' ? opsOf(dim) : (['is'] as const)
  const op = ops.find((one) => one === chosenOp) ?? 'is'
  const found = useSuggestions(dim, chips, of, isOpened)
  const choose = (next: string) => {
    setDim(next)
    setText('')
  }
  /** A key leads to its values; KEY:VALUE, typed as it is, is both. */
  const pickTag = (typed: string) => {
    const [, key, value] = /^([^:]+):(.+)$/s.exec(typed) ?? []
    const isKey = key === undefined || found.suggestions.some((one) => one.value === typed)
    return isKey ? choose(`tag:${typed}`) : onChips(addValue(chips, `tag:${key}`, value!))
  }
  const pickValue = (value: string) => {
    if (op !== 'is' || isAlternative)
      return onCondition?.(value === anyValue ? { dim, op: 'not_empty' } : { dim, op, values: [value.trim()] })
    if (isTag(dim)) setDim('tag')
    onChips(value === anyValue ? addTagKey(chips, keyOf(dim)) : addValue(chips, dim, value.trim()))
  }
  const pick = (value: string) => {
    setText('')
    if (dim === 'tag') pickTag(value)
    else pickValue(value)
  }
  return (
    <span class="adder">
      <DimensionSelect dim={dim} dims={dims} title={isAlternative ? 'or' : 'Filter'} onDim={choose} />
      {ops.length > 1 && <OpSelect op={op} ops={ops} onOp={setOp} />}
      {hasValues(op) ? (
        <Suggest
          id="add-filter"
          label={dim === 'tag' ? 'Tag key' : `${titleHere(dim)} ${opTitles[op]}…`}
          text={text}
          isSearch={true}
          suggestions={dims ? found.suggestions.filter(({ value }) => value !== '(none)') : found.suggestions}
          isAsking={found.isAsking}
          problem={found.problem}
          onText={setText}
          onOpen={() => setOpened(true)}
          onPick={pick}
        />
      ) : (
        <button type="button" onClick={() => onCondition?.({ dim, op })}>
          Add
        </button>
      )}
    </span>
  )
}

interface DimensionSelectProps {
  dim: string
  dims: readonly string[] | undefined
  title: string
  onDim: (dim: string) => void
}

function DimensionSelect({ dim, dims, title, onDim }: DimensionSelectProps) {
  const shown = isTag(dim) ? 'tag' : dim
  return (
    <>
      <label>
        {title}{' '}
        <select onChange={(event: Event) => onDim((event.target as HTMLSelectElement).value)}>
          {addable
            .filter(({ name }) => dims?.includes(name) ?? true)
            .map(({ name, title: of }) => (
              <option key={name} value={name} selected={name === shown}>
                {of}
              </option>
            ))}
        </select>
      </label>
      {isTag(dim) && (
        <button type="button" class="quiet" onClick={() => onDim('tag')} aria-label={`Change tag key ${keyOf(dim)}`}>
          <span class="clip">{keyOf(dim)}:</span>
        </button>
      )}
    </>
  )
}

interface OpSelectProps {
  op: Op
  ops: readonly Op[]
  onOp: (op: Op) => void
}

const OpSelect = ({ op, ops, onOp }: OpSelectProps) => (
  <select aria-label="Comparison" onChange={(event: Event) => onOp((event.target as HTMLSelectElement).value as Op)}>
    {ops.map((one) => (
      <option key={one} value={one} selected={one === op}>
        {opTitles[one]}
      </option>
    ))}
  </select>
)
