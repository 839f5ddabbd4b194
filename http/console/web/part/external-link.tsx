/** A link out of the console, to what the API names: pages of the web alone, and they are not told where it was followed from. */
import type { ComponentChildren } from 'preact'

const isWeb = (href: string): boolean => /^https?:\/\//i.test(href)

export const ExternalLink = ({ href, children }: { href: string; children?: ComponentChildren }) =>
  isWeb(href) ? (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
      <span aria-hidden="true"> ↗</span>
    </a>
  ) : (
    <code>{href}</code>
  )
