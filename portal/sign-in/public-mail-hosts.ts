import { getDomain } from 'tldts';
import { asciiDomain, isProvider } from '../accounts/mailbox.ts';

/**
 * Hosts where strangers have mailboxes, each of which takes a telephone number, a contract or money to
 * get: so many people of one of them are no sign of one person with many addresses. This list, with
 * the providers of `mailbox.ts`, is the only source: the large hosts of the United States and those
 * that most people have in other countries, 2026. Left out on purpose are hosts that anybody gets any
 * number of mailboxes from at once.
 */
const HOSTS =
  // United States
  'aol.com aim.com ameritech.net att.net bellsouth.net cableone.net centurylink.net centurytel.net charter.net comcast.net cox.net earthlink.net embarqmail.com frontier.com frontiernet.net hughes.net juno.com mindspring.com netzero.net optimum.net optonline.net pacbell.net q.com rcn.com roadrunner.com rr.com sbcglobal.net spectrum.net suddenlink.net swbell.net tds.net twc.com verizon.net windstream.net wowway.com xfinity.com ' +
  // Canada, Australia, New Zealand, the United Kingdom, Ireland
  'bell.net cogeco.ca rogers.com shaw.ca sympatico.ca telus.net videotron.ca bigpond.com bigpond.net.au iinet.net.au optusnet.com.au xtra.co.nz blueyonder.co.uk bt.com btinternet.com ntlworld.com sky.com talktalk.net virginmedia.com eircom.net ' +
  // The rest of Europe
  'bluewin.ch freenet.de gmx.at gmx.ch gmx.de gmx.net t-online.de web.de free.fr laposte.net orange.fr sfr.fr wanadoo.fr alice.it libero.it tiscali.it virgilio.it kpnmail.nl planet.nl ziggo.nl proximus.be skynet.be telenet.be sapo.pt interia.pl o2.pl onet.pl wp.pl seznam.cz bk.ru inbox.ru list.ru mail.ru rambler.ru ya.ru yandex.com yandex.ru ukr.net ' +
  // Latin America, Asia
  'bol.com.br terra.com.br uol.com.br prodigy.net.mx 126.com 163.com qq.com sina.com yeah.net daum.net hanmail.net naver.com nate.com docomo.ne.jp rediffmail.com ' +
  // Paid for
  'hey.com mailbox.org pobox.com posteo.de';
const LISTED: ReadonlySet<string> = new Set(HOSTS.split(' '));

/**
 * The domain that somebody registered for the mailboxes of an address, whatever hosts he makes below it,
 * by the Public Suffix List; `null` of a public host, whose mailboxes are of many people.
 */
export function ownMailDomain(email: string): string | null {
  const host = asciiDomain(email.slice(email.lastIndexOf('@') + 1).trim());
  if (LISTED.has(host) || isProvider(host)) return null;
  return getDomain(host) ?? host;
}
