output "store" {
  description = "STORE, as the commands take it."
  value       = "s3://${aws_s3_bucket.store.id}/${var.prefix}"
}

output "tiles" {
  description = "What the host of the tiles is to be an alias of, or BUCKET_HOST of a front in a cluster."
  value       = aws_cloudfront_distribution.tiles.domain_name
}

output "reader_policy" {
  description = "For whom the proxies run as."
  value       = aws_iam_policy.reader.arn
}

output "builder_policy" {
  description = "For whom builds run as."
  value       = aws_iam_policy.builder.arn
}
