/** A name on one line, cut where it is too long: the whole of it shows when pointed at. With `href` it is a link. */
export interface ClipProps {
  text: string
  /** What shows when pointed at, such as the UID; left out: the text. */
  title?: string | undefined
  size?: 'tight' | 'wide' | undefined
  href?: string | undefined
}

export function Clip({ text, title = text, size, href }: ClipProps) {
  const of = { class: size ? `clip ${size}` : 'clip', dir: 'auto', title } as const
  return href === undefined ? (
    <span {...of}>{text}</span>
  ) : (
    <a {...of} href={href}>
      {text}
    </a>
  )
}
