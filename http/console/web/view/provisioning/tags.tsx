/** Tags of a job, as rows of a name and a value each. */
import type { Problem } from '../../problem.ts'
import { TextField } from '../../part/form.tsx'
import { Rows } from '../../part/rows.tsx'
import { namedTwice, tagPlaces, type Tag } from './draft.ts'

interface TagRowsProps {
  tags: readonly Tag[]
  problem: Problem | undefined
  onTags: (tags: Tag[]) => void
}

export function TagRows({ tags, problem, onTags }: TagRowsProps) {
  const twice = namedTwice(tags)
  const places = tagPlaces(tags)
  const show = ({ name, value }: Tag, at: number, change: (changes: Partial<Tag>) => void) => (
    <>
      <TextField
        label="Tag name"
        value={name}
        onValue={(now: string) => change({ name: now })}
        at={places[at]}
        problem={problem}
        isCode
      />
      <TextField label="Value" value={value} onValue={(now: string) => change({ value: now })} isCode />
    </>
  )
  const hint = (
    <>
      applied to everything created from then on, in addition to <code>tidemark:job</code>
    </>
  )
  return (
    <>
      <Rows
        label="Tags"
        of="tag"
        rows={tags}
        onRows={onTags}
        fresh={() => ({ name: '', value: '' })}
        show={show}
        at="/tags"
        problem={problem}
        hint={hint}
      />
      {twice.length > 0 && (
        <p class="note bad" role="alert">
          More than one tag is named {twice.join(', ')}: one of them would be lost.
        </p>
      )}
    </>
  )
}
