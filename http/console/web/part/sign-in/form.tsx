/** What the forms of the sign-in page have in common. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { readField } from '../../form.ts'
import { refuse, signInProblem } from '../../session.ts'

export type SignInStep = 'in' | 'up' | 'confirm' | 'forgotten' | 'reset'

/** What is kept while a person goes from form to form. */
export interface SignInDraft {
  email: string
  /** As it was typed last, for the sign-in after the address is confirmed; in memory alone. */
  password: string
}

export interface Way {
  kept: SignInDraft
  keep: (some: Partial<SignInDraft>) => void
  /** Shows another form, and why. */
  to: (step: SignInStep, said?: string) => void
}

interface FormProps {
  title: string
  action: string
  /** What is typed, by the names of the fields. */
  doing: (field: (name: string) => string) => Promise<void>
  children?: ComponentChildren
}

/** A form whose refusal stands above it; what was typed stays. */
export function Form({ title, action, doing, children }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const empty = [...form.current!.querySelectorAll('input')].find(({ value }) => value === '')
    empty?.focus()
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    signInProblem.value = undefined
    await doing((name) => readField(form.current, name)).catch(refuse)
    setBusy(false)
  }
  return (
    <form ref={form} onSubmit={submit} aria-label={title}>
      <h2>{title}</h2>
      {children}
      <button type="submit" class="main" disabled={isBusy}>
        {isBusy ? 'Working…' : action}
      </button>
    </form>
  )
}

export const EmailField = ({ kept, keep }: Pick<Way, 'kept' | 'keep'>) => (
  <label>
    Email{' '}
    <input
      name="email"
      type="email"
      autocomplete="username"
      maxlength={254}
      required
      value={kept.email}
      onInput={(event: Event) => keep({ email: (event.target as HTMLInputElement).value })}
    />
  </label>
)

export const CodeField = () => (
  <label>
    Six-digit code from the email{' '}
    <input
      name="otp"
      autocomplete="one-time-code"
      inputmode="numeric"
      pattern="[0-9]{6}"
      maxlength={6}
      title="six digits"
      required
    />
  </label>
)

export const NewPasswordField = ({ label }: { label: string }) => (
  <label>
    {label} <input name="password" type="password" autocomplete="new-password" minlength={8} maxlength={128} required />
    <span class="faint">At least 8 characters, and not a common password.</span>
  </label>
)

interface LeadProps {
  onClick: () => void
  children?: ComponentChildren
}

/** To another form. */
export const Lead = ({ onClick, children }: LeadProps) => (
  <button type="button" class="lead" onClick={onClick}>
    {children}
  </button>
)
