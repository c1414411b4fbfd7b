package org.opengis.referencing.crs;

/** Named by R5, and never used for travel times. */
public interface CoordinateReferenceSystem {}
