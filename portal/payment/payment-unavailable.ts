/** The payment processor does not answer, or not as it should: nothing was sold. */
export class PaymentUnavailable extends Error {
  override readonly name = 'PaymentUnavailable';
}
