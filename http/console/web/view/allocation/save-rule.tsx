/** A rule is saved as it was previewed: whatever is typed after needs another look. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import type { Domain, Policy } from './policies.ts'

interface SavingOptions {
  rule: Policy | undefined
  draft: { name: string; enabled: boolean }
  /** Looks once more what others made of the rule, and goes on where nothing stands against it. */
  settle: (then: () => void) => Promise<void>
  /** @throws SyntaxError */
  specOf: () => unknown
}

export function useSaving(domain: Domain, { rule, draft, settle, specOf }: SavingOptions) {
  const making = useRequest('POST /policies')
  const changing = useRequest('PUT /policies/:policyID')
  const [previewed, setPreviewed] = useState('')
  const [textProblem, setTextProblem] = useState('')
  const read = (): unknown => {
    try {
      return specOf()
    } catch {
      return undefined
    }
  }
  const spec = read()
  const doing = rule ? changing : making
  const preview = (run: (spec: unknown) => Promise<unknown>) => {
    doing.clear()
    setPreviewed('')
    if (spec === undefined) return setTextProblem('The text is not valid JSON. Check its braces, quotes and commas.')
    setTextProblem('')
    void run(spec).then((found) => setPreviewed(found === undefined ? '' : JSON.stringify(spec)))
  }
  const save = (done: () => void) => {
    const body = { domain, targetType: 'organisation', name: draft.name, enabled: draft.enabled, spec }
    if (!rule) return void making.run({ body }, done)
    void settle(() => void changing.run({ params: { policyID: rule.id }, body }, done))
  }
  const isCurrent = previewed !== '' && previewed === JSON.stringify(spec)
  return {
    preview,
    save,
    spec,
    previewed,
    isCurrent,
    isBusy: doing.isBusy,
    problem: doing.problem,
    textProblem,
    isNew: rule === undefined,
    isOff: !draft.enabled,
  }
}

export interface PreviewProps {
  saving: ReturnType<typeof useSaving>
  isBusy: boolean
  onDone: () => void
  /** Where giving up leads. */
  cancel: string
  /** What the preview said. */
  children?: ComponentChildren
}

export function Preview({ saving, isBusy, onDone, cancel, children }: PreviewProps) {
  const { isCurrent, previewed, isNew, isOff } = saving
  return (
    <>
      <p class="bar">
        <button type="submit" class={isCurrent ? '' : 'main'} disabled={isBusy}>
          {isBusy ? 'Loading…' : 'Preview changes'}
        </button>{' '}
        <a href={cancel}>Cancel</a>
      </p>
      {previewed !== '' && (
        <section class={`preview ${isCurrent ? '' : 'old'}`} aria-label="Effect of the rule" aria-live="polite">
          {!isCurrent && <p class="note">The rule has changed since this preview. Preview it again before saving.</p>}
          {isOff && (
            <p class="note">
              The rule is disabled: this is what it would do when enabled. Saved as is, it moves nothing.
            </p>
          )}
          {children}
          <p class="faint">
            Saving applies to all open months within a second or two. Deleting the rule undoes it; teams it created
            remain.
          </p>
          <p class="bar">
            <Act
              needs={isNew ? 'service.create' : 'service.update'}
              class="main"
              disabled={!isCurrent || saving.isBusy}
              onClick={() => saving.save(onDone)}
            >
              {saving.isBusy ? 'Saving…' : isNew ? 'Create rule' : 'Save rule'}
            </Act>
          </p>
        </section>
      )}
    </>
  )
}
