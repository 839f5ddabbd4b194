/** What a person typed into a field of a form, as it is. */
export function readField(form: EventTarget | null, name: string): string {
  const value = new FormData(form as HTMLFormElement).get(name)
  return typeof value === 'string' ? value : ''
}
